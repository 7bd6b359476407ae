package import KeychainModel
import LinuxSystem

extension Refusal.Rule {
    /// The file, its note or a statement is malformed.
    package static let malformedCode = Self(rawValue: "code.malformed")
    /// The signature is of a newer format than this release knows.
    package static let newerSignature = Self(rawValue: "code.newer-format")
    /// The segments are larger than the limit.
    package static let tooLargeCode = Self(rawValue: "code.too-large")
    /// The loaded bytes differ from the signed ones.
    package static let changedCode = Self(rawValue: "code.changed")
    /// The note was not signed with the key it names.
    package static let wrongSignature = Self(rawValue: "code.wrong-signature")
    /// The file could not be read.
    package static let unreadableCode = Self(rawValue: "code.unreadable")
    /// The file could not be written.
    package static let unwritableCode = Self(rawValue: "code.unwritable")
    /// The file is not an ELF file.
    package static let notELF = Self(rawValue: "code.not-elf")
    /// A group, or the application's identifier, does not begin with the Team ID.
    package static let foreignPrefix = Self(rawValue: "entitlements.foreign-prefix")
    /// The entitlements are not a property list, or contain a value that is not allowed.
    package static let malformedEntitlements = Self(rawValue: "entitlements.malformed")
    /// The entitlements have a placeholder without a known value.
    package static let placeholder = Self(rawValue: "entitlements.placeholder")
    /// The identifier of the code is malformed.
    package static let codeIdentifier = Self(rawValue: "code.identifier")
    /// The rotations do not lead from the team's first key to the one that signed.
    package static let brokenChain = Self(rawValue: "team.rotation")
    package static let wrongHandover = Self(rawValue: "team.handover")
    package static let wrongStatementSignature = Self(rawValue: "team.wrong-signature")
    package static let teamKey = Self(rawValue: "team.key")
}

extension Refusal {
    private static let signAgain = "Sign the file again: security codesign -f -s KEY FILE."

    package static func malformedCode(_ what: String) -> Refusal {
        Refusal(
            .missingEntitlement, .malformedCode, "signature", "The signature cannot be used: \(what).", do: signAgain)
    }

    static let newerSignature = Refusal(
        .missingEntitlement, .newerSignature, "signature",
        "The signature is of a format that this release does not know.",
        do: "Install the release that made it, or a newer one.")

    static let tooLargeCode = Refusal(
        .missingEntitlement, .tooLargeCode, "signature", "The segments of the file have more than 4 GiB.",
        do: "Keep data in files of its own.")

    static let changedCode = Refusal(
        .missingEntitlement, .changedCode, "signature", "The file was changed after it was signed.", do: signAgain)

    static let wrongSignature = Refusal(
        .missingEntitlement, .wrongSignature, "signature", "The signature was not made with the key it names.",
        do: signAgain)

    static let wrongStatementSignature = Refusal(
        .missingEntitlement, .wrongStatementSignature, "statement", "The statement was not made with the key it names.",
        do: "Get the statement again from the team that made it.")

    static let brokenChain = Refusal(
        .missingEntitlement, .brokenChain, "statement",
        "The rotation statements do not lead from the team's first key to the one that signed.",
        do: "Give all statements, the oldest first.")

    static func unreadable(_ error: SystemError) -> Refusal {
        Refusal(
            .io, .unreadableCode, "signature", "The file cannot be read: \(error).",
            do: "Check that it is there and may be read.")
    }

    static func unwritable(_ error: SystemError) -> Refusal {
        Refusal(
            .io, .unwritableCode, "signature", "The signed file cannot be written: \(error).",
            do: "Check that its folder may be written to and has room.")
    }

    package static func noTeamKey(_ why: String) -> Refusal {
        Refusal(
            .param, .teamKey, "key", "This is no team key. \(why)",
            do: "Make one with security codesign --create-team-key FILE: Ed25519 or P-256.")
    }
}
