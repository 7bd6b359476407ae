import FileFormat
import Glibc
package import KeychainModel
import LinuxSystem

extension Refusal.Rule {
    /// The file is not a protected one.
    package static let notProtected = Self(rawValue: "file.not-protected")
    /// The file is of a later release.
    package static let unsupportedFile = Self(rawValue: "file.unsupported")
    /// The keychain is locked, and with it the open file.
    package static let lockedFile = Self(rawValue: "file.locked")
    /// An earlier call has failed or ended the file.
    package static let endedFile = Self(rawValue: "file.ended")
}

extension FileError {
    /// The error as a caller gets it.
    var refusal: Refusal {
        switch self {
        case .notProtected: .notProtected
        case .unsupported(let field, let value): .unsupported(field, value)
        case .damaged(let offset): .damaged(at: offset)
        case .tooLarge: .tooLarge
        case .ended: .ended
        case .forked: .forked
        case .invalidHeader, .library: .internalFailure(self)
        }
    }
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
    static let notProtected = Refusal(
        KeychainStatus(rawValue: -25257), .notProtected, "file", "This is not a protected file.",
        do: "Read it as it is, or protect it: security file protect.")

    static func unsupported(_ field: FileError.Field, _ value: UInt16) -> Refusal {
        Refusal(
            KeychainStatus(rawValue: -25256), .unsupportedFile, "file",
            "The protected file is of a release that this one does not know (\(field) \(value)).",
            do: "Update this installation.")
    }

    static func damaged(at offset: UInt64) -> Refusal {
        Refusal(
            .decode, .damagedFile, "file",
            "The protected file is not as it was written, from byte \(offset) on: it was changed or cut off.",
            do: "Restore it from a copy. Nothing of it that was not verified has been given out.")
    }

    static let tooLarge = Refusal(
        .param, .tooLarge, "file", "A protected file has at most 256 TiB of content.", do: "Divide the content.")

    static let locked = Refusal(
        .interactionNotAllowed, .lockedFile, "file",
        "The protected file is open, but its class is locked; its key has been wiped.",
        do: "Unlock the keychain, and call again: the file goes on then.")

    static let ended = Refusal(
        .param, .endedFile, "file", "The protected file has been finished, or a call for it has failed.",
        do: "Begin again.")

    static let forked = Refusal(
        .notAvailable, .unavailable, "process", "The protected file was opened by this process's parent.",
        do: "Open it in the child.")

    static func internalFailure(_ error: FileError) -> Refusal {
        Refusal(
            .internalError, .internalError, "file", "The protected file could not be processed (\(error)).",
            do: "Report this as a bug.")
    }
}
