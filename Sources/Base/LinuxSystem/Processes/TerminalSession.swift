/// The session of a process at its terminal: the terminal, and the process that leads the session.
package struct TerminalSession: Hashable, Sendable {
    private let terminal: UInt64
    private let leader: Int32
    /// With the number it identifies the leader.
    private let startTime: UInt64

    package init(terminal: UInt64, leader: Int32, startTime: UInt64) {
        (self.terminal, self.leader, self.startTime) = (terminal, leader, startTime)
    }

    /// - Returns: nil for a process without a terminal, and for one that is gone.
    package init?(of process: Int32) {
        do throws(SystemError) {
            terminal = try ProcessDirectory.controllingTerminal(of: process)
            guard terminal != 0 else { return nil }
            leader = try ProcessDirectory.sessionLeader(of: process)
            startTime = try ProcessDirectory.startTime(of: leader)
        } catch { return nil }
    }
}
