package import KeychainWire
package import LinuxSystem

/// The service of an agent: ``UserAgent``, seen from the other end of the connection.
package protocol AgentService: Sendable {
    /// The prompt methods that there are.
    func report() -> AgentReport

    /// The device's biometry, without the enclave's own lockout count.
    func biometry() -> BiometryStatus

    /// Asks the user and waits for the answer: until the deadline, or until the question is withdrawn. One question at
    /// a time.
    func ask(_ question: UserQuestion, by deadline: Deadline, until withdrawal: Withdrawal) -> UserAnswer
}

/// The end of a question by its asker, whenever it comes: also before the question has been put.
package final class Withdrawal: Sendable {
    private let wakeup: Wakeup

    /// - Throws: `SystemError`: too many open files.
    package init() throws(SystemError) { wakeup = try Wakeup() }

    /// Readable from ``withdraw()`` on.
    package var descriptor: FileDescriptor { wakeup.descriptor }

    /// Ends the question.
    package func withdraw() { wakeup.signal() }

    package var hasHappened: Bool {
        do throws(SystemError) {
            try descriptor.wait(for: .readable, deadline: .now)
            return true
        } catch { return false }
    }
}
