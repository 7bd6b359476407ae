import LinuxSystem

extension Session {
    /// The path of a program in the absolute folders of PATH; nil when none of them has it.
    func path(ofProgram name: String) -> String? {
        let folders = (environment("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.map { "\($0)/\(name)" }.first { path in
            guard let status = try? FileStatus(at: path) else { return false }
            return status.isRegularFile && status.mode & 0o111 != 0
        }
    }
}
