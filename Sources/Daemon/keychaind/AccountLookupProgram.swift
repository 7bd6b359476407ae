import LinuxSystem
import SystemAccounts

/// Looks accounts up for the system service's master (`AccountQueue`), in a process of its own: whatever answers for
/// the accounts of this machine runs in here, and may take as long as it likes.
enum AccountLookupProgram {
    /// Answers until the master closes its end.
    ///
    /// - Throws: `SystemError` when this process cannot give its privileges back, or cannot answer.
    static func serve(_ channel: UnixSocket) throws(SystemError) {
        try DaemonProcess.harden()
        try Privileges.reduce(to: nil, keeping: [])
        try ProcessHardening.forbidNewPrivileges()
        while true {
            var question: [UInt8] = [0, 0, 0, 0]
            var span = question.mutableSpan
            guard try channel.receiveFully(into: &span, deadline: .never) == question.count else { return }
            try channel.sendFully([answer(question.span.littleEndian(UInt32.self, at: 0))].span, deadline: .never)
        }
    }

    private static func answer(_ user: UInt32) -> UInt8 {
        do throws(SystemError) { return try KnownUsers.contains(user) ? 1 : 0 } catch { return 2 }
    }
}
