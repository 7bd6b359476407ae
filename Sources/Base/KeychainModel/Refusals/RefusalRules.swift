/// The rules about access and capacity.
extension Refusal.Rule {
    /// The items of the group come from tokens; no program adds any.
    package static let readOnlyGroup = Self(rawValue: "access.group-read-only")
    /// The program has no group that an item could be added to.
    package static let noOwnGroup = Self(rawValue: "access.no-group-to-add-to")
    /// Only the keychain's own command lists all groups, and never their values.
    package static let inspection = Self(rawValue: "access.inspection")
    /// Only anchored programs can open the item.
    package static let notAnchored = Self(rawValue: "access.not-anchored")
    /// Moving a group's items to another group requires both groups, or the user's consent.
    package static let foreignGroups = Self(rawValue: "access.groups-not-granted")
    /// A row of a list is named where there is no terminal.
    package static let rowsWithoutTerminal = Self(rawValue: "rows.no-terminal")
    /// The last list at the terminal has no such row.
    package static let noSuchRow = Self(rawValue: "rows.none")
    /// Another item already has the primary key.
    package static let conflict = Self(rawValue: "store.conflict")
    /// The user, or the program, has reached the limit of items or bytes.
    package static let quota = Self(rawValue: "keychain.quota")
}

/// The rules about protected files.
extension Refusal.Rule {
    /// The file, or a part of it, is not as it was written.
    package static let damagedFile = Self(rawValue: "file.damaged")
    /// The shelf that wrapped the file's key is not in this keychain.
    package static let noShelf = Self(rawValue: "file.no-shelf")
}

/// The rules about keys.
extension Refusal.Rule {
    package static let keyType = Self(rawValue: "key.type")
    package static let keySize = Self(rawValue: "key.size")
    package static let keyData = Self(rawValue: "key.malformed")
    package static let keyAlgorithm = Self(rawValue: "key.algorithm-not-supported")
    package static let keyInput = Self(rawValue: "key.input")
    package static let keyParameter = Self(rawValue: "key.parameter")
    package static let keySignature = Self(rawValue: "key.signature")
    package static let keyNotExtractable = Self(rawValue: "key.not-extractable")
}

/// The rules about backups.
extension Refusal.Rule {
    /// The file is no backup, or not as it was written.
    package static let damagedBackup = Self(rawValue: "backup.damaged")
    /// The backup has a later format.
    package static let newerBackup = Self(rawValue: "backup.newer")
    /// The passphrase, or the recovery code, does not open the backup.
    package static let wrongBackupCredential = Self(rawValue: "backup.wrong-passphrase")
    /// The backup does not open with a credential of this kind.
    package static let noBackupSlot = Self(rawValue: "backup.no-such-slot")
    /// The backup or restore under way has ended, or is not the caller's.
    package static let noBackupUnderWay = Self(rawValue: "backup.not-under-way")
    /// Only the keychain's own command makes and restores backups.
    package static let backupNotGranted = Self(rawValue: "backup.not-granted")
}

/// The rules about circles of machines.
extension Refusal.Rule {
    /// The keychain belongs to no circle.
    package static let noCircle = Self(rawValue: "circle.none")
    /// The batch is not one of the circle's, or not as it was written.
    package static let malformedBatch = Self(rawValue: "circle.malformed")
    /// Nobody that the machine knows has added the author of the batch.
    package static let unknownAuthor = Self(rawValue: "circle.unknown-author")
    /// The batch was not signed by its author.
    package static let forgedBatch = Self(rawValue: "circle.forged")
    /// The batch is of a later release.
    package static let laterBatch = Self(rawValue: "circle.later")
    /// The machine is not in the circle, or was removed from it.
    package static let notAMember = Self(rawValue: "circle.not-a-member")
    /// The enclave has not made a statement of the batch.
    package static let notStated = Self(rawValue: "circle.not-stated")
    /// The machine has not got the keys of the generation.
    package static let noGenerationKeys = Self(rawValue: "circle.no-keys")
    /// The generation is of no use for new batches.
    package static let retiredGeneration = Self(rawValue: "circle.retired-keys")
    /// The circle has no room for more.
    package static let fullCircle = Self(rawValue: "circle.full")
    /// No pairing is under way.
    package static let noPairing = Self(rawValue: "circle.no-pairing")
    /// The machines of a pairing do not know the same digits.
    package static let wrongDigits = Self(rawValue: "circle.wrong-digits")
    /// The caller may not look at the circle, change it, or carry for it.
    package static let circleNotGranted = Self(rawValue: "circle.not-granted")
}
