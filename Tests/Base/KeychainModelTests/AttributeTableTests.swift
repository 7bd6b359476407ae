import TestSupport
import Testing

@testable import KeychainModel

@Suite("The attribute table")
struct AttributeTableTests {
    /// The largest number of an attribute. Up to it, every number has its own place in a set.
    private static let largestNumber: UInt16 = 119

    private static let visible = AttributeTable.rows.filter { $0.id != .restricted }

    @Test("No two attributes share a number, a code or a constant")
    func unique() {
        let (rows, all) = (Self.visible, AttributeTable.rows)
        #expect(rows.count == 62)
        #expect(Set(rows.map(\.id)).count == rows.count)
        #expect(Set(all.map(\.code)).count == all.count)
        #expect(Set(all.flatMap(\.constants)).count == all.flatMap(\.constants).count)
    }

    @Test("Every attribute is found by its number, its code and each of its constants")
    func found() {
        for row in Self.visible {
            #expect(AttributeTable.attribute(id: row.id) === row)
            #expect(AttributeTable.attribute(code: row.code) === row)
            for constant in row.constants { #expect(AttributeTable.attribute(constant: constant) === row) }
        }
    }

    @Test(
        "A number that is not in use names no attribute",
        arguments: [0, 62, 64, 65, 0xF000, 0xF001, 0xF002, 0xF003, 0xFFFF])
    func unused(number: UInt16) {
        #expect(AttributeTable.attribute(id: AttributeID(rawValue: number)) == nil)
    }

    @Test("Every number that an attribute may have, and each of what travels with attributes, has a place of its own")
    func places() {
        let companions: [AttributeID] = [
            .valueData, .persistentReference, .hostOrSubdomain, .certificateData, .sealedKey, .versionEnded,
            .versionEnd, .lostVersion,
        ]
        let numbers = (1...Self.largestNumber).map { AttributeID(rawValue: $0) } + companions
        #expect(Set(numbers.map(\.bit)).count == numbers.count)
        #expect(numbers.allSatisfy { $0.bit.nonzeroBitCount == 1 })
        #expect(AttributeID(rawValue: 0xFFFF).bit == AttributeID(rawValue: 127).bit)
    }

    @Test("Attributes and query keys fit into their sets, and a new attribute changes no table of the store")
    func fits() {
        #expect(Self.visible.allSatisfy { (1...Self.largestNumber).contains($0.id.rawValue) })
        #expect(QueryKey.rows.count <= 64)
        // An attribute added after the first release has no default and is in no primary key and no index, because
        // stored items do not have it.
        for row in Self.visible where row.id.rawValue > AttributeID.restricted.rawValue {
            #expect(row.missing == .absent && row.keyIn.isEmpty, "\(row.displayName)")
            #expect(ItemClass.stored.allSatisfy { !$0.indexes.joined().contains(row.id) }, "\(row.displayName)")
        }
    }

    private static let common = ["agrp", "sync", "vwht", "tkid", "musr", "ggrp"]

    @Test(
        "the primary key of each class is exactly Apple's",
        .rule("items.primary-key.attributes", "items.primary-key.default"),
        arguments: [
            (ItemClass.genericPassword, ["acct", "svce"]),
            (.internetPassword, ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path"]),
            (.certificate, ["ctyp", "issr", "slnr"]),
            (.key, ["kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat"]),
        ])
    func primaryKeys(itemClass: ItemClass, own: [String]) {
        #expect(Set(AttributeTable.primaryKey(of: itemClass).map(\.code)) == Set(own + Self.common))
    }

    @Test(
        "Every attribute of a primary key has a default, so that a missing one is a value too",
        .rule("items.primary-key.attributes", "items.primary-key.default"))
    func keysHaveDefaults() {
        for itemClass in ItemClass.stored {
            for attribute in AttributeTable.primaryKey(of: itemClass) where attribute.code != "agrp" {
                #expect(attribute.defaultValue != nil, "\(attribute.displayName)")
                #expect(attribute.classes.contains(itemClass), "\(attribute.displayName)")
            }
        }
    }

    /// Rule items.class.attributes, the public attributes: constant, code, and the classes that have it.
    private static let apple: [(constant: String, code: String, classes: String)] = [
        ("kSecAttrAccessible", "pdmn", "genp inet cert keys"), ("kSecAttrAccessControl", "accc", "genp inet cert keys"),
        ("kSecAttrAccessGroup", "agrp", "genp inet cert keys"),
        ("kSecAttrSynchronizable", "sync", "genp inet cert keys"),
        ("kSecAttrCreationDate", "cdat", "genp inet cert keys"),
        ("kSecAttrModificationDate", "mdat", "genp inet cert keys"), ("kSecAttrLabel", "labl", "genp inet cert keys"),
        ("kSecAttrDescription", "desc", "genp inet"), ("kSecAttrComment", "icmt", "genp inet"),
        ("kSecAttrCreator", "crtr", "genp inet keys"), ("kSecAttrKeyCreator", "crtr", "genp inet keys"),
        ("kSecAttrType", "type", "genp inet keys"), ("kSecAttrKeyType", "type", "genp inet keys"),
        ("kSecAttrIsInvisible", "invi", "genp inet"), ("kSecAttrIsNegative", "nega", "genp inet"),
        ("kSecAttrAccount", "acct", "genp inet"), ("kSecAttrService", "svce", "genp"),
        ("kSecAttrGeneric", "gena", "genp"), ("kSecAttrSecurityDomain", "sdmn", "inet"),
        ("kSecAttrServer", "srvr", "inet"), ("kSecAttrProtocol", "ptcl", "inet"),
        ("kSecAttrAuthenticationType", "atyp", "inet"), ("kSecAttrPort", "port", "inet"),
        ("kSecAttrPath", "path", "inet"), ("kSecAttrSubject", "subj", "cert"), ("kSecAttrIssuer", "issr", "cert"),
        ("kSecAttrSerialNumber", "slnr", "cert"), ("kSecAttrSubjectKeyID", "skid", "cert"),
        ("kSecAttrPublicKeyHash", "pkhh", "cert"), ("kSecAttrCertificateType", "ctyp", "cert"),
        ("kSecAttrCertificateEncoding", "cenc", "cert"), ("kSecAttrKeyClass", "kcls", "keys"),
        ("kSecAttrApplicationLabel", "klbl", "keys"), ("kSecAttrApplicationTag", "atag", "keys"),
        ("kSecAttrKeySizeInBits", "bsiz", "keys"), ("kSecAttrEffectiveKeySize", "esiz", "keys"),
        ("kSecAttrStartDate", "sdat", "keys"), ("kSecAttrEndDate", "edat", "keys"),
        ("kSecAttrIsPermanent", "perm", "keys"), ("kSecAttrIsPrivate", "priv", "keys"),
        ("kSecAttrIsModifiable", "modi", "keys"), ("kSecAttrIsSensitive", "sens", "keys"),
        ("kSecAttrWasAlwaysSensitive", "asen", "keys"), ("kSecAttrIsExtractable", "extr", "keys"),
        ("kSecAttrWasNeverExtractable", "next", "keys"), ("kSecAttrCanEncrypt", "encr", "keys"),
        ("kSecAttrCanDecrypt", "decr", "keys"), ("kSecAttrCanDerive", "drve", "keys"),
        ("kSecAttrCanSign", "sign", "keys"), ("kSecAttrCanVerify", "vrfy", "keys"),
        ("kSecAttrCanSignRecover", "snrc", "keys"), ("kSecAttrCanVerifyRecover", "vyrc", "keys"),
        ("kSecAttrCanWrap", "wrap", "keys"), ("kSecAttrCanUnwrap", "unwp", "keys"),
        ("kSecAttrTokenID", "tkid", "genp inet cert keys"), ("kSecAttrSyncViewHint", "vwht", "genp inet cert keys"),
        ("kSecAttrSharingGroup", "ggrp", "genp inet cert keys"), ("kSecAttrMultiUser", "musr", "genp inet cert keys"),
        ("kSecAttrTombstone", "tomb", "genp inet cert keys"), ("kSecAttrAlias", "alis", "genp inet cert keys"),
        ("kSecAttrScriptCode", "scrp", "genp inet"), ("kSecAttrHasCustomIcon", "cusi", "genp inet"),
    ]

    @Test("each class has the attributes Apple gives it", .rule("items.class.attributes"), arguments: apple)
    func classes(constant: String, code: String, classes: String) throws {
        let attribute = try #require(AttributeTable.attribute(constant: constant))
        #expect(attribute.code == code)
        #expect(attribute.classes.map(\.code).joined(separator: " ") == classes)
    }

    @Test("Besides Apple's attributes the table has one for old programs, and one of our extensions")
    func nothingElse() {
        let known = Set(Self.apple.map(\.constant))
        #expect(
            Self.visible.flatMap(\.constants).filter { !known.contains($0) } == [
                "kSecAttrProtected", "kSecAttrLookupAttributes",
            ])
    }

    @Test("An identity has the attributes of certificates and of keys, and nothing else")
    func identity() {
        let of = { AttributeTable.attributes(of: $0).map(\.code) }
        #expect(Set(of(.identity)) == Set(of(.certificate) + of(.key)))
    }

    @Test("Every index is over attributes that its class has and that have a column")
    func indexes() throws {
        for itemClass in ItemClass.stored {
            for id in itemClass.indexes.joined() {
                let attribute = try #require(AttributeTable.attribute(id: id))
                #expect(attribute.belongs(to: itemClass) && attribute.search == .compared, "\(attribute.displayName)")
            }
        }
    }

    @Test("the seven protection classes have Apple's codes, and are found by them", .rule("protection.class.seven"))
    func accessibility() {
        #expect(Accessibility.allCases.map(\.code) == ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"])
        for accessibility in Accessibility.allCases {
            #expect(Accessibility(code: accessibility.code) == accessibility)
        }
        #expect(Accessibility(code: "f") == nil)
    }

    @Test(
        "without a protection class an item is readable while the device is unlocked, a certificate always",
        .rule("protection.class.default"))
    func defaultAccessibility() {
        #expect(ItemClass.genericPassword.defaultAccessibility == .whenUnlocked)
        #expect(ItemClass.internetPassword.defaultAccessibility == .whenUnlocked)
        #expect(ItemClass.key.defaultAccessibility == .whenUnlocked)
        #expect(ItemClass.certificate.defaultAccessibility == .always)
    }
}
