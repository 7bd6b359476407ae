import Glibc
import LinuxSystem

/// The process with which a job ends.
package enum JobOwner {
    /// The names of the programs that run jobs, as the kernel shortens them to 15 bytes.
    private static let workers: Set<String> = [
        "Runner.Worker", "gitlab-runner", "buildkite-agent", "act_runner", "woodpecker-agen", "drone-runner-do",
    ]
    private static let mostAncestors = 64

    /// The worker among this process's ancestors, else the leader of its session, else the first of its ancestors in
    /// the session: the leader may have ended, and is hidden from a container that was entered from outside. A service
    /// manager that adopts processes is in a session of its own. Nil when none of them outlives this process.
    package static func find() -> Int32? {
        let ancestors = ancestors()
        return ancestors.first { workers.contains($0.name) }?.number ?? sessionLeader()
            ?? ancestors.last { $0.number != 1 && getsid($0.number) == getsid(0) }?.number
    }

    /// The nearest is the first.
    private static func ancestors() -> [(number: Int32, name: String)] {
        var found: [(number: Int32, name: String)] = []
        var number = CurrentProcess.identifier
        while found.count < mostAncestors, let parent = try? ProcessView(number).kinship().parent, parent > 0,
            let process = try? RunningProcess(parent)
        {
            // One that is ending still has a number.
            if !process.hasEnded { found.append((parent, process.name)) }
            number = parent
        }
        return found
    }

    private static func sessionLeader() -> Int32? {
        let leader = getsid(0)
        guard leader > 0, leader != CurrentProcess.identifier, let process = try? RunningProcess(leader)
        else { return nil }
        return process.hasEnded ? nil : leader
    }
}
