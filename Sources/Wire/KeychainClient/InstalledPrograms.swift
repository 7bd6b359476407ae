import Glibc
import LinuxSystem

/// The places of an installation's programs: the folder of the calling program, or the usual folders.
package enum InstalledPrograms {
    private static let folders = ["/usr/local/libexec", "/usr/libexec", "/usr/local/bin", "/usr/bin"]

    /// The path of a program; nil when it is not installed.
    ///
    /// - Parameter other: another program of the same installation, whose place is known.
    package static func find(_ name: String, besides other: String? = nil) -> String? {
        let own = (try? ExecutableFile(ofProcess: CurrentProcess.identifier))?.path
        let beside = [other, own].compactMap { $0.flatMap(folder) }
        return (beside + folders).map { $0 + "/" + name }.first(where: isProgram)
    }

    private static func folder(of path: String) -> String? { path.lastIndex(of: "/").map { String(path[..<$0]) } }

    private static func isProgram(_ path: String) -> Bool {
        guard let status = try? FileStatus(at: path) else { return false }
        return status.isRegularFile && status.mode & 0o111 != 0
    }
}
