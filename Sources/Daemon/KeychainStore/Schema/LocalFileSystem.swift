import Glibc
import KeychainModel
import LinuxSystem

/// A store lies on a file system of this machine.
///
/// The write-ahead log needs memory that all processes share, and locks and syncs that do what they say, which file
/// systems on other machines do not give (https://www.sqlite.org/wal.html, section 1).
enum LocalFileSystem {
    /// - Throws: `errSecNotAvailable` for a folder on a network file system.
    static func require(_ folder: String) throws(Refusal) {
        let name: String?
        do throws(SystemError) { name = try networkName(of: folder) } catch {
            throw Refusal(
                .notAvailable, .unavailable, "store", "The folder \(folder) cannot be looked at: \(error).",
                do: "Check the folder and its permissions.")
        }
        guard let name else { return }
        throw Refusal(
            .notAvailable, .unavailable, "store", "The folder \(folder) is on a network file system (\(name)).",
            do: "Set KEYCHAIN_HOME to a folder on a disk of this machine; several machines cannot share one keychain.")
    }

    private static func networkName(of folder: String) throws(SystemError) -> String? {
        let file = try FileDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
        let kind = try FileSystem(of: file).kind
        guard kind == FileSystem.fuse else { return networkNames[kind] }
        return MountTable.kind(of: try FileStatus(of: file).device).flatMap { fuseNames.contains($0) ? $0 : nil }
    }

    /// The numbers of statfs(2) and <linux/magic.h>.
    static let networkNames: [UInt64: String] = [
        0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB2", 0x5346_414F: "AFS", 0x6B41_4653: "AFS",
        0x7375_7245: "Coda", 0x00C3_6400: "Ceph", 0x0102_1997: "9P", 0x564C: "NCP", 0x0BD0_0BD0: "Lustre",
        0x4750_4653: "GPFS", 0x0116_1970: "GFS2", 0x7461_636F: "OCFS2",
    ]

    /// File systems that a user's process serves, or another machine, by their names in the mount table.
    private static let fuseNames: Set<String> = [
        "fuse.sshfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.davfs", "fuse.ceph", "fuse.curlftpfs",
    ]
}
