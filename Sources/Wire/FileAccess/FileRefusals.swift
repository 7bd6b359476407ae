import FileFormat
import Glibc
package import KeychainModel
import LinuxSystem

extension Refusal.Rule {
    /// The keychain is locked, and with it the open file.
    package static let lockedFile = Self(rawValue: "file.locked")
    /// The file that was to be protected is so already.
    package static let protectedFile = Self(rawValue: "file.protected")
}

/// Runs what may fail in the format and turns its error into the caller's.
func formatting<Result>(_ body: () throws(FileError) -> Result) throws(Refusal) -> Result {
    do throws(FileError) { return try body() } catch { throw error.refusal }
}

/// Runs what may fail in the file system and turns its error into the caller's.
func accessing<Result>(_ path: String, _ body: () throws(SystemError) -> Result) throws(Refusal) -> Result {
    do throws(SystemError) { return try body() } catch {
        throw Refusal(
            error.code == ENOSPC || error.code == EDQUOT ? .diskFull : .io, .unavailable, path, "\(path): \(error).",
            do: "Look at the file's permissions and at the disk; nothing was replaced.")
    }
}

extension Refusal {
    static let manyRecipients = Refusal(
        .param, .tooLarge, "recovery",
        "A file has at most \(RecoveryRecipient.most) recovery recipients, those of the keychain among them.",
        do: "Name fewer.")
    static let isProtected = Refusal(
        .param, .protectedFile, "file", "The file is protected already.",
        do: "Give it another class with security file move, or another path to what is made of it.")
    static let locked = Refusal(
        .interactionNotAllowed, .lockedFile, "file",
        "The protected file is open, but its class is locked; its key has been wiped.",
        do: "Unlock the keychain, and call again: the file goes on then.")
}
