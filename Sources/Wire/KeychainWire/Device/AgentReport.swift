package import KeychainModel
package import LinuxSystem

/// The prompt methods that an agent has found, for people to read.
package struct AgentReport: Hashable, Sendable {
    /// The system bus answers; without it there is neither a finger nor a session to watch.
    package var hasSystemBus = false
    /// The name of the fingerprint reader; empty when there is none, or no fprintd.
    package var sensor = ""
    /// The pinentry for displays; empty when there is none.
    package var graphicalPinentry = ""
    /// The pinentry for terminals; empty when there is none, and the agent asks there itself.
    package var terminalPinentry = ""
    /// The PAM service that verifies the password of the login; empty when none could.
    package var loginService = ""
    /// The session that is watched, as logind names it; empty when there is none, or no logind.
    package var session = ""

    package init() {}

    /// report = systemBus:u8 sensor:text graphical:text terminal:text login:text session:text
    package func append(to buffer: SecretBuffer) {
        buffer.append(hasSystemBus ? 1 : 0)
        for text in [sensor, graphicalPinentry, terminalPinentry, loginService, session] { buffer.append(text: text) }
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        hasSystemBus = try reader.integer(UInt8.self) != 0
        sensor = try reader.text()
        graphicalPinentry = try reader.text()
        terminalPinentry = try reader.text()
        loginService = try reader.text()
        session = try reader.text()
    }
}
