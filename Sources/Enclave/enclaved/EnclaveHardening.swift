import Glibc
import LinuxSystem

/// The rights that the program gives up before it reads a key.
enum EnclaveHardening {
    /// No core files, no tracing by the same user: the first thing of all.
    ///
    /// - Throws: `SystemError` when they cannot be had; without them the program must not go on.
    static func hide() throws(SystemError) { try ProcessHardening.forbidDumps() }

    /// No new privileges, memory that is not swapped. The agent is started before, for it needs what is forbidden here.
    ///
    /// - Throws: `SystemError` when one of them cannot be had; without it the program must not go on.
    static func apply() throws(SystemError) {
        try ProcessHardening.forbidNewPrivileges()
        let lockable = try ProcessHardening.raiseLockedMemoryLimit()
        // With a limit, locking everything would make the memory of the passcode derivation fail. The keys themselves
        // lie in memory that is locked piece by piece.
        if lockable == .max || geteuid() == 0 { mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) }
    }

    /// Leaves only the vault's folder of the file system (Landlock), where the kernel can do that.
    ///
    /// - Throws: `SystemError` when the kernel can and did not.
    static func restrictFiles(toFolderOf vault: String) throws(SystemError) {
        let folder = vault[..<(vault.lastIndex(of: "/") ?? vault.endIndex)] + "/"
        try FileSystemRestriction.apply(only: [.init(String(folder), .replacing)])
    }
}
