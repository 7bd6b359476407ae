/// All attributes of all classes (rule items.class.attributes). A new attribute is a new row here and a number in
/// `AttributeID`.
///
/// Schema, indexes, validation, encoding, results, the command's dump and the reference page are derived from these
/// rows.
package enum AttributeTable {
    private static let all = ItemClass.stored
    private static let passwords: [ItemClass] = [.genericPassword, .internetPassword]
    private static let genp: [ItemClass] = [.genericPassword]
    private static let inet: [ItemClass] = [.internetPassword]
    private static let cert: [ItemClass] = [.certificate]
    private static let keys: [ItemClass] = [.key]

    package static let rows: [ItemAttribute] = common + password + certificate + key + restricted

    private static let common: [ItemAttribute] = [
        .init(
            .accessible, "pdmn", "kSecAttrAccessible", kind: .string, in: all, search: .plain,
            "The protection class: in which device states the item can be opened."),
        .init(
            .accessControl, "accc", "kSecAttrAccessControl", kind: .accessControl, in: all, search: .none,
            "The protection class together with what the user must do before the value is opened."),
        .init(
            .accessGroup, "agrp", "kSecAttrAccessGroup", kind: .string, in: all, keyIn: all,
            "The group of programs the item belongs to."),
        .init(
            .synchronizable, "sync", "kSecAttrSynchronizable", kind: .number, in: all, keyIn: all, search: .plain,
            missing: .zero, "Whether the item is meant for all devices of the user."),
        .init(
            .creationDate, "cdat", "kSecAttrCreationDate", kind: .date, in: all, setBy: .engine,
            "When the item was added."),
        .init(
            .modificationDate, "mdat", "kSecAttrModificationDate", kind: .date, in: all, setBy: .engine,
            "When the item was last changed."),
        .init(.label, "labl", "kSecAttrLabel", kind: .blob, in: all, "The name a person knows the item by."),
        .init(
            .tokenID, "tkid", "kSecAttrTokenID", kind: .string, in: all, keyIn: all, missing: .emptyString,
            returned: .whenNotEmpty, "The token that holds the key, such as the Secure Enclave."),
        .init(
            .syncViewHint, "vwht", "kSecAttrSyncViewHint", kind: .string, in: all, keyIn: all, missing: .emptyString,
            returned: .whenNotEmpty, "The synchronisation view the item belongs to."),
        .init(
            .sharingGroup, "ggrp", "kSecAttrSharingGroup", kind: .string, in: all, keyIn: all, setBy: .nobody,
            missing: .emptyString, returned: .whenNotEmpty, "The group of people the item is shared with."),
        .init(
            .multiUser, "musr", "kSecAttrMultiUser", kind: .data, in: all, keyIn: all, setBy: .engine,
            missing: .emptyString, "The user partition; empty for the one user a keychain has."),
        .init(
            .tombstone, "tomb", "kSecAttrTombstone", kind: .number, in: all, search: .plain, setBy: .engine,
            missing: .zero, "Marks what is left of a deleted synchronised item."),
        .init(
            .alias, "alis", "kSecAttrAlias", kind: .blob, in: all, "A second name, kept for old programs."),
    ]

    private static let password: [ItemAttribute] = [
        .init(
            .account, "acct", "kSecAttrAccount", kind: .blob, in: passwords, keyIn: passwords, missing: .emptyString,
            "The account the password is for."),
        .init(
            .service, "svce", "kSecAttrService", kind: .blob, in: genp, keyIn: genp, missing: .emptyString,
            "The service the password is for."),
        .init(.generic, "gena", "kSecAttrGeneric", kind: .data, in: genp, "Data of the program's own; not unique."),
        .init(
            .securityDomain, "sdmn", "kSecAttrSecurityDomain", kind: .blob, in: inet, keyIn: inet,
            missing: .emptyString, "The realm of the server."),
        .init(
            .server, "srvr", "kSecAttrServer", kind: .blob, in: inet, keyIn: inet, missing: .emptyString,
            "The server's name or address."),
        .init(
            .protocol, "ptcl", "kSecAttrProtocol", kind: .number, in: inet, keyIn: inet, missing: .zero,
            returned: .whenNotEmpty, "The protocol, as a four-character code."),
        .init(
            .authenticationType, "atyp", "kSecAttrAuthenticationType", kind: .blob, in: inet, keyIn: inet,
            missing: .emptyString, "How the server authenticates, as a four-character code."),
        .init(
            .port, "port", "kSecAttrPort", kind: .number, in: inet, keyIn: inet, missing: .zero, "The server's port."),
        .init(
            .path, "path", "kSecAttrPath", kind: .blob, in: inet, keyIn: inet, missing: .emptyString,
            "The path on the server."),
        .init(.description, "desc", "kSecAttrDescription", kind: .blob, in: passwords, "The kind of item, in words."),
        .init(.comment, "icmt", "kSecAttrComment", kind: .blob, in: passwords, "A note of the user's."),
        .init(
            .creator, "crtr", "kSecAttrCreator", "kSecAttrKeyCreator", kind: .number, in: passwords + keys, keyIn: keys,
            missing: .zero, "The creator's four-character code."),
        .init(
            .type, "type", "kSecAttrType", "kSecAttrKeyType", kind: .number, in: passwords + keys, keyIn: keys,
            missing: .zero, "A password's four-character type, or a key's algorithm."),
        .init(
            .scriptCode, "scrp", "kSecAttrScriptCode", kind: .number, in: passwords,
            "The script code, for old programs."),
        .init(
            .isInvisible, "invi", "kSecAttrIsInvisible", kind: .number, in: passwords, "Not to be shown to the user."),
        .init(
            .isNegative, "nega", "kSecAttrIsNegative", kind: .number, in: passwords,
            "There is no password; ask for it each time."),
        .init(
            .hasCustomIcon, "cusi", "kSecAttrHasCustomIcon", kind: .number, in: passwords,
            "The item has an icon of its own."),
        .init(.protected, "prot", "kSecAttrProtected", kind: .blob, in: passwords, "Kept for old programs."),
        .init(
            .lookupAttributes, "satt", "kSecAttrLookupAttributes", kind: .data, in: genp,
            "Names and values by which programs of the Secret Service find the item."),
    ]

    private static let certificate: [ItemAttribute] = [
        .init(
            .certificateType, "ctyp", "kSecAttrCertificateType", kind: .number, in: cert, keyIn: cert, missing: .zero,
            "The X.509 version."),
        .init(
            .certificateEncoding, "cenc", "kSecAttrCertificateEncoding", kind: .number, in: cert,
            "The encoding; 3 is DER."),
        .init(.subject, "subj", "kSecAttrSubject", kind: .data, in: cert, "The normalised subject name."),
        .init(
            .issuer, "issr", "kSecAttrIssuer", kind: .data, in: cert, keyIn: cert, missing: .emptyString,
            "The normalised issuer name."),
        .init(
            .serialNumber, "slnr", "kSecAttrSerialNumber", kind: .data, in: cert, keyIn: cert, missing: .emptyString,
            "The serial number."),
        .init(.subjectKeyID, "skid", "kSecAttrSubjectKeyID", kind: .data, in: cert, "The subject key identifier."),
        .init(
            .publicKeyHash, "pkhh", "kSecAttrPublicKeyHash", kind: .data, in: cert,
            "The SHA-1 of the public key, by which an identity finds its key."),
    ]

    private static let key: [ItemAttribute] = [
        .init(
            .keyClass, "kcls", "kSecAttrKeyClass", kind: .number, in: keys, keyIn: keys, missing: .zero,
            "Public (0), private (1) or symmetric (2)."),
        .init(
            .applicationLabel, "klbl", "kSecAttrApplicationLabel", kind: .data, in: keys, keyIn: keys,
            missing: .emptyString, "The SHA-1 of the public key, or a symmetric key's name."),
        .init(
            .applicationTag, "atag", "kSecAttrApplicationTag", kind: .blob, in: keys, keyIn: keys,
            missing: .emptyString, "The program's own name for the key."),
        .init(
            .keySizeInBits, "bsiz", "kSecAttrKeySizeInBits", kind: .number, in: keys, keyIn: keys, missing: .zero,
            "The key's length in bits."),
        .init(
            .effectiveKeySize, "esiz", "kSecAttrEffectiveKeySize", kind: .number, in: keys, keyIn: keys,
            missing: .zero, "The bits of the key that count."),
        .init(
            .startDate, "sdat", "kSecAttrStartDate", kind: .date, in: keys, keyIn: keys, missing: .zero,
            returned: .whenNotEmpty, "When the key may first be used."),
        .init(
            .endDate, "edat", "kSecAttrEndDate", kind: .date, in: keys, keyIn: keys, missing: .zero,
            returned: .whenNotEmpty, "When the key may last be used."),
        flag(.isPermanent, "perm", "kSecAttrIsPermanent", "The key is kept in the keychain."),
        flag(.isPrivate, "priv", "kSecAttrIsPrivate", "Apple sets it for public keys too."),
        flag(.isModifiable, "modi", "kSecAttrIsModifiable", "The key's attributes can be changed."),
        flag(.isSensitive, "sens", "kSecAttrIsSensitive", "The key leaves the keychain wrapped or not at all."),
        flag(.wasAlwaysSensitive, "asen", "kSecAttrWasAlwaysSensitive", "The key has always been sensitive."),
        flag(.isExtractable, "extr", "kSecAttrIsExtractable", "The key may leave the keychain."),
        flag(.wasNeverExtractable, "next", "kSecAttrWasNeverExtractable", "The key could never leave the keychain."),
        flag(.canEncrypt, "encr", "kSecAttrCanEncrypt", "The key may encrypt."),
        flag(.canDecrypt, "decr", "kSecAttrCanDecrypt", "The key may decrypt."),
        flag(.canDerive, "drve", "kSecAttrCanDerive", "Keys may be derived from it."),
        flag(.canSign, "sign", "kSecAttrCanSign", "The key may sign."),
        flag(.canVerify, "vrfy", "kSecAttrCanVerify", "The key may verify signatures."),
        flag(.canSignRecover, "snrc", "kSecAttrCanSignRecover", "The key may sign with message recovery."),
        flag(.canVerifyRecover, "vyrc", "kSecAttrCanVerifyRecover", "The key may verify with message recovery."),
        flag(.canWrap, "wrap", "kSecAttrCanWrap", "The key may wrap other keys."),
        flag(.canUnwrap, "unwp", "kSecAttrCanUnwrap", "The key may unwrap other keys."),
    ]

    private static func flag(
        _ id: AttributeID, _ code: String, _ constant: String, _ meaning: String
    ) -> ItemAttribute { .init(id, code, constant, kind: .number, in: keys, meaning) }

    /// Attributes of Apple's own programs. They are in the table so that the refusal can say why a program may not use
    /// them.
    private static let restricted: [ItemAttribute] = [
        apple("sha1"), apple("UUID"), apple("persistref"), apple("sysb"), apple(ItemAttribute.ofAppClips),
        apple("pcss"), apple("pcsk"), apple("pcsi"), apple("dspk"), apple("binn", in: inet), apple("bini", in: inet),
        apple("bin0", in: inet), apple("bin1", in: inet), apple("bin2", in: inet), apple("bin3", in: inet),
    ]

    private static func apple(_ code: String, in classes: [ItemClass] = all) -> ItemAttribute {
        .init(
            .restricted, code, code, kind: .data, in: classes, search: .none, setBy: .nobody, returned: .never,
            "For Apple's own programs.")
    }
}
