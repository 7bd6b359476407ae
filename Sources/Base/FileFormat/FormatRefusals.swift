package import KeychainModel

extension Refusal.Rule {
    /// The file is not a protected one.
    package static let notProtected = Self(rawValue: "file.not-protected")
    /// The file is of a later release.
    package static let unsupportedFile = Self(rawValue: "file.unsupported")
    /// An earlier call has failed or ended the file.
    package static let endedFile = Self(rawValue: "file.ended")
}

extension FileError {
    /// The error as a caller gets it.
    package var refusal: Refusal {
        switch self {
        case .notProtected: .notProtected
        case .unsupported(let field, let value): .unsupported(field, value)
        case .damaged(let offset): .damagedFile(at: offset)
        case .noIdentity: .noIdentity
        case .tooLarge: .tooLargeFile
        case .ended: .endedFile
        case .forked: .forkedFile
        case .invalidHeader, .library: .internalFailure(self)
        }
    }
}

extension Refusal {
    fileprivate static let notProtected = Refusal(
        KeychainStatus(rawValue: -25257), .notProtected, "file", "This is not a protected file.",
        do: "Read it as it is, or protect it: security file protect.")

    fileprivate static func unsupported(_ field: FileError.Field, _ value: UInt16) -> Refusal {
        Refusal(
            KeychainStatus(rawValue: -25256), .unsupportedFile, "file",
            "The protected file is of a release that this one does not know (\(field) \(value)).",
            do: "Update this installation.")
    }

    fileprivate static func damagedFile(at offset: UInt64) -> Refusal {
        Refusal(
            .decode, .damagedFile, "file",
            "The protected file is not as it was written, from byte \(offset) on: it was changed or cut off.",
            do: "Restore it from a copy. Nothing of it that was not verified has been given out.")
    }

    fileprivate static let noIdentity = Refusal(
        .param, .wrongValue, "identity", "This is no identity of a recovery recipient (AGE-SECRET-KEY-1...).",
        do: "Name the file that security file recovery-key or age-keygen has written.")

    fileprivate static let tooLargeFile = Refusal(
        .param, .tooLarge, "file", "A protected file has at most 256 TiB of content.", do: "Divide the content.")

    fileprivate static let endedFile = Refusal(
        .param, .endedFile, "file", "The protected file has been finished, or a call for it has failed.",
        do: "Begin again.")

    fileprivate static let forkedFile = Refusal(
        .notAvailable, .unavailable, "process", "The protected file was opened by this process's parent.",
        do: "Open it in the child.")

    fileprivate static func internalFailure(_ error: FileError) -> Refusal {
        Refusal(
            .internalError, .internalError, "file", "The protected file could not be processed (\(error)).",
            do: "Report this as a bug.")
    }
}
