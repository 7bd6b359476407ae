import Security
import TestSupport

/// Dictionaries of mostly real keys with mostly wrong values, from a seed.
struct RandomDictionaries {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    mutating func next() -> Attributes {
        var dictionary: Attributes = [:]
        if number(below: 10) > 0 { dictionary[kSecClass] = pick(Self.classes) }
        for _ in 0..<number(below: 6) { dictionary[pick(Self.keys) as CFString] = value() }
        if number(below: 20) == 0 { dictionary[text() as CFString] = value() }
        return dictionary
    }

    private static let classes = ["genp", "genp", "genp", "inet", "cert", "keys", "idnt", "apls", ""]

    private static let keys = [
        "acct", "acct", "svce", "svce", "srvr", "labl", "desc", "icmt", "gena", "crtr", "type", "ptcl", "port", "path",
        "atyp",
        "sdmn", "invi", "nega", "agrp", "pdmn", "accc", "sync", "cdat", "mdat", "tomb", "musr", "tkid", "vwht", "ggrp",
        "sha1", "UUID", "persistref", "ctyp", "cenc", "subj", "issr", "slnr", "skid", "pkhh", "kcls", "klbl", "atag",
        "bsiz", "esiz", "sdat", "edat", "perm", "priv", "sign", "encr", "m_Limit", "m_Policy", "m_Issuers",
        "m_CaseInsensitive", "m_HostOrSubdomainOfHost", "r_Data", "r_Data", "r_Attributes", "r_Ref", "r_PersistentRef",
        "v_Data", "v_Data", "v_Ref", "v_PersistentRef", "u_AuthUI", "u_NoAuthUI", "u_OpPrompt", "u_AuthCtx", "u_Tomb",
        "u_Keychain", "u_ItemList", "nleg", "f_x", "kSecClass", "kSecAttrAccount",
    ]

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    private mutating func value() -> Any {
        switch number(below: 12) {
        case 0, 1, 2: return text()
        case 3, 4: return data()
        case 5: return pick([true, false])
        case 6, 7: return numeric()
        case 8: return pick([Date(), Date(timeIntervalSinceReferenceDate: .nan), .distantFuture, .distantPast])
        case 9:
            let flags = SecAccessControlCreateFlags(rawValue: pick([0, 0, 1, 2, 8, 16, 1 << 30, 1 << 31, 0x4012]))
            return accessControl(pick([kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAlways]), flags) as Any
        case 10:
            return pick(
                [
                    NSNull(), NSObject(), TestContext(password: "p"), NSUUID(), NSURL(fileURLWithPath: "/"),
                    NSArray(array: [1]),
                ]
                    as [NSObject])
        default: return ["nested": [text(): data()]] as [String: Any]
        }
    }

    private mutating func text() -> Any {
        let lone = [UInt16(0xD800), 0x61]
        return pick(
            [
                "", "a", "b", "1", "0", "-1", "ak", "akpu", "syna", "m_LimitAll", "m_LimitOne", "u_AuthUIS", "genp",
                "TEAM.program",
                "OTHER.group", "\u{0}", "😀", String(repeating: "x", count: number(below: 3000)),
                unsafe NSString(characters: lone, length: 2), "9223372036854775808",
            ] as [Any])
    }

    private mutating func text() -> String { text() as Any as? String ?? "" }

    private mutating func data() -> Data {
        let prefix = pick([Data(), Data("genp"), Data("keys"), Data([0])])
        return prefix
            + Data((0..<pick([0, 1, 8, 16, 20, 500])).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    private mutating func numeric() -> NSNumber {
        pick([
            0, 1, 2, -1, 100, NSNumber(value: Int64.max), NSNumber(value: Int64.min), NSNumber(value: UInt64.max),
            NSNumber(value: Double.nan), NSNumber(value: Double.infinity), 1.5,
            NSNumber(value: Double.greatestFiniteMagnitude),
            NSDecimalNumber(string: "1e100"),
        ])
    }
}
