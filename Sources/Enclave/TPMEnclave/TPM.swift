package import KeychainModel
import LinuxSystem
import Synchronization

/// A TPM, wherever it is reached. It is the border of this module, and turns failures into refusals.
///
/// Thread-safe; commands go one after the other, as in the chip. The next call replaces a connection that has broken.
package final class TPM: Sendable {
    /// How long one command may take, in milliseconds: less than the daemon waits for the enclave, so that the caller
    /// learns why.
    package static let defaultTimeout = 8_000

    /// How it is reached, as tpm2-tss has it: `device:/dev/tpmrm0`, `swtpm:path=…`.
    package let address: String
    private let timeout: Int
    private let state = Lock(State())
    private let lost = Atomic(false)

    private struct State {
        var connection: TPMConnection?
        /// The storage key of the vault's TPM. No secret is sent to another TPM.
        var expectedName: [UInt8]?
    }

    /// - Parameter timeout: how long one command may take, in milliseconds.
    package init(_ address: String, timeout: Int = TPM.defaultTimeout) {
        self.address = address
        self.timeout = timeout
    }

    /// Connects, if it is not connected.
    ///
    /// - Throws: `errSecNotAvailable` when there is no TPM, or none that answers.
    package func connect() throws(Refusal) { try run { (_) throws(TPMFailure) in } }

    /// Lends the connection.
    ///
    /// - Parameter repeating: whether to ask a second time, over a new connection, when the first is found broken; not
    ///   for what the TPM counts.
    /// - Throws: the refusal for whatever the body throws; `errSecNotAvailable` when there is no TPM.
    func run<Result>(
        repeating: Bool = true, _ body: (TPMConnection) throws(TPMFailure) -> Result
    ) throws(Refusal) -> Result {
        do throws(TPMFailure) { return try tryRun(repeating: repeating, body) } catch { throw error.refusal(address) }
    }

    /// As ``run(repeating:_:)``, with the failure itself.
    func tryRun<Result>(
        repeating: Bool = true, _ body: (TPMConnection) throws(TPMFailure) -> Result
    ) throws(TPMFailure) -> Result {
        do throws(TPMFailure) { return try locked(repeating, body) } catch {
            if error.endsConnection { lost.store(true, ordering: .relaxed) }
            throw error
        }
    }

    /// Whether a call has failed because the TPM was not there or did not answer.
    package var hasBeenLost: Bool { lost.load(ordering: .relaxed) }

    private func locked<Result>(
        _ repeating: Bool, _ body: (TPMConnection) throws(TPMFailure) -> Result
    ) throws(TPMFailure) -> Result {
        try state.withLock { (state) throws(TPMFailure) in
            let wasConnected = state.connection != nil
            do throws(TPMFailure) { return try body(try connection(&state)) } catch {
                guard error.endsConnection else { throw error }
                state.connection = nil
                guard repeating, wasConnected, error != .silent else { throw error }
            }
            return try body(try connection(&state))
        }
    }

    /// Lends the connection if there is one.
    func ifConnected(_ body: (TPMConnection) -> Void) { state.withLock { $0.connection.map(body) } }

    /// From now on no TPM with another storage key is talked to.
    func expect(_ name: [UInt8]) { state.withLock { $0.expectedName = name } }

    private func connection(_ state: inout State) throws(TPMFailure) -> TPMConnection {
        if let connection = state.connection, !connection.isBroken { return connection }
        state.connection = nil
        let connection = try TPMConnection(address, timeout: timeout)
        if let expected = state.expectedName, expected != connection.storageName { throw .otherTPM(.unknown) }
        state.connection = connection
        return connection
    }
}
