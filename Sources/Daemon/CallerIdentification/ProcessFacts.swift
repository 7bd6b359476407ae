package import CodeSignature
package import KeychainModel
package import LinuxSystem
package import Sandboxes

/// The facts about a caller. The decision asks for each fact when it needs it, because some cost much. A test answers
/// from facts it states.
package protocol ProcessFacts {
    /// The effective user and group it had when it connected.
    var user: UInt32 { get }
    var group: UInt32 { get }
    var process: Int32 { get }
    /// The program, by the name the process sees it by, and the file itself.
    var path: String { get }
    var file: FileStatus { get }

    /// Its real group; the kernel gives the marker group as effective group only.
    func realGroup() throws(Refusal) -> UInt32
    /// The content of the executable's signature; nil when there is none.
    func signature() throws(Refusal) -> ProgramSignature?
    /// The name that an executable without a signature claims; nil when it claims none.
    func claim() throws(Refusal) -> CodeClaim?
    /// Whether it sees the files that everybody sees, by their names.
    var seesCommonFiles: Bool { get }
    /// The folder that its user's account has for itself, without symbolic links; nil when there is none.
    func home() -> String?
    /// Whether ``path`` is what the file is called in the file system that everybody sees.
    func hasTrueName() throws(Refusal) -> Bool
    /// Whether it runs a script, by its own account.
    func runs(_ script: InstalledEntitlements.Script) -> Bool
    /// The sandbox it was started in.
    func sandbox() throws(Refusal) -> SandboxedApplication?
    /// The unit of the system's service manager that it is: not one that has only started it for somebody.
    func unit() -> String?
}
