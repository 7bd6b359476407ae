import Glibc
import LinuxSystem

/// The process with which a job ends.
package enum JobOwner {
    /// The names of the programs that run jobs, as the kernel shortens them to 15 bytes.
    private static let workers: Set<String> = [
        "Runner.Worker", "gitlab-runner", "buildkite-agent", "act_runner", "woodpecker-agen", "drone-runner-do",
    ]
    private static let mostAncestors = 64

    /// The worker among this process's ancestors, else the leader of its session; nil when neither outlives this
    /// process.
    package static func find() -> Int32? { worker() ?? sessionLeader() }

    private static func worker() -> Int32? {
        var number = CurrentProcess.identifier
        for _ in 0..<mostAncestors {
            guard let parent = try? ProcessView(number).kinship().parent, parent > 0,
                let process = try? RunningProcess(parent)
            else { return nil }
            if workers.contains(process.name) { return parent }
            number = parent
        }
        return nil
    }

    private static func sessionLeader() -> Int32? {
        let leader = getsid(0)
        guard leader > 0, leader != CurrentProcess.identifier, (try? RunningProcess(leader)) != nil else { return nil }
        return leader
    }
}
