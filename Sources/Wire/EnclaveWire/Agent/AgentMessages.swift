import KeychainWire
import LinuxSystem

/// The messages between enclave and agent over their socket pair (``EnclaveSocket``).
///
///     message = length:u32 word:u32 body:length
///     word    = operation:u8 id:u24
///
/// Both belong to one release. The enclave chooses an id for each question, and the agent answers with the same id, in
/// any order. Messages that the agent sends by itself have ids of the agent's. Neither end trusts the other: a peer
/// that breaks the format loses the connection, and with it the agent ends.
enum AgentOperation: UInt8, CaseIterable {
    /// The agent's first message: version:u32.
    case hello = 1
    /// From the enclave → ``AgentReport``.
    case report = 2
    /// From the enclave → ``BiometryStatus``.
    case biometry = 3
    /// From the enclave, milliseconds:u32 ``UserQuestion`` → ``UserAnswer``; with the terminal, where the question says
    /// so.
    case ask = 4
    /// From the enclave, identifier:16 caller:32; the open question is answered, this is not.
    case withdraw = 5
    /// From the agent.
    case answer = 6
    /// From the agent, in place of an answer: a question is open already, or too much is waiting.
    case busy = 7
    /// From the agent: event:u8.
    case event = 8
    /// From the enclave, to an event: it has acted on it.
    case eventTaken = 9
}

/// A message's word.
struct AgentWord: Equatable {
    let operation: AgentOperation
    /// 24 bits.
    let id: UInt32

    init(_ operation: AgentOperation, _ id: UInt32 = 0) { (self.operation, self.id) = (operation, id & Self.idMask) }

    /// Reads the word of a peer's message; nil for one that this release does not know.
    init?(_ word: UInt32) {
        guard let operation = AgentOperation(rawValue: UInt8(truncatingIfNeeded: word)) else { return nil }
        self.init(operation, word >> 8)
    }

    var word: UInt32 { UInt32(operation.rawValue) | id << 8 }

    private static let idMask: UInt32 = 0xff_ffff
}

/// The constants that both ends must agree on.
package enum AgentFormat {
    package static let version: UInt32 = 3
    /// The most calls that wait for an answer at once: one for each slot of the daemon, and a few.
    package static let openCalls = 16
    /// The longest secret that a user can enter. A pinentry's limit is lower.
    package static let secretBytes = WireLimits.passcodeBytes
    /// The longest a question stays open: milliseconds.
    package static let longestQuestion: UInt32 = 600_000
}
