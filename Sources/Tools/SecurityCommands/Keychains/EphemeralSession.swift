import CommandOptions
import KeychainClient
import KeychainModel
import LinuxSystem

/// `security --ephemeral COMMAND`: a keychain in memory for this process, and for the program that it becomes or
/// starts.
enum EphemeralSession {
    static let option = CommandOption(
        "E", word: "ephemeral", "Use a keychain in memory, which ends with this process or what it becomes.")

    /// Starts it, and has the session's commands use it.
    ///
    /// - Throws: why it cannot be started.
    static func begin(_ session: Session) throws(CommandFailure) {
        do throws(Refusal) {
            var plan = ThrowAwayKeychain.Plan()
            (plan.name, plan.owner) = ("run", CurrentProcess.identifier)
            let keychain = try session.jobs.start(plan)
            guard let connection = try Connection.running(keychain.configuration) else { return }
            session.turn(to: connection, NamedKeychains(keychain.configuration))
            for (name, value) in keychain.variables { session.jobs.export(name, value) }
        } catch { throw .refused(call: "--ephemeral", error) }
    }
}
