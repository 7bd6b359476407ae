import LinuxSystem
import Security

@testable import EmbeddedKeychain
@testable import KeychainModel
@testable import KeychainPolicy
@testable import SecureEnclave

/// Dictionaries as programs make them, through the four verbs on a keychain in this process.
///
///     input = *(verb:u8 dictionary [dictionary])              ; verbs as in `Verb`; the second one is an update's
///     dictionary = count:u8 *(key value)
///
/// Each is answered with a status that has a meaning and a result only where that is success. An item of another
/// program's is never given out or changed, and the program's own is as it was until a change said success.
func fuzzQuery(_ bytes: Span<UInt8>) {
    let keychain = QueryKeychain.shared
    var input = DictionaryReader(InputReader(bytes))
    var mayHaveChanged = false
    for _ in 0..<4 where !input.isAtEnd {
        mayHaveChanged = keychain.run { call(&input) } || mayHaveChanged
    }
    keychain.check(mayHaveChanged: mayHaveChanged)
}

/// - Returns: whether something may be another than before.
private func call(_ input: inout DictionaryReader) -> Bool {
    let verb = input.byte() % 5
    let dictionary = input.dictionary(0)
    var result: CFTypeRef?
    let status: OSStatus
    switch verb {
    case 0: status = unsafe SecItemAdd(dictionary, &result)
    case 1, 2: status = unsafe SecItemCopyMatching(dictionary, &result)
    case 3: status = SecItemUpdate(dictionary, input.dictionary(0))
    default: status = SecItemDelete(dictionary)
    }
    require(SecCopyErrorMessageString(status, nil) != nil, "a status without a meaning: \(status)")
    require(status == errSecSuccess || result == nil, "a result with the status \(status)")
    if let result { require(!isForeign(result), "another program's item is given out") }
    return verb != 1 && verb != 2 && status == errSecSuccess
}

private func isForeign(_ result: CFTypeRef) -> Bool {
    switch result {
    case let data as NSData: (data as Data) == QueryKeychain.foreignValue
    case let array as NSArray: array.contains { isForeign($0 as AnyObject) }
    case let dictionary as NSDictionary: dictionary.allValues.contains { isForeign($0 as AnyObject) }
    default: false
    }
}

/// A keychain with one item of the program's and one of another's.
private final class QueryKeychain: Sendable {
    static let shared = QueryKeychain()
    // Globals of this type are taken for leaks (Tests/Support/leaks.supp).
    static var foreignValue: Data { Data("what another program keeps".utf8) }
    static var ownValue: Data { Data("what the program keeps".utf8) }

    private let folder = FuzzFolder("query")
    private let keychain: EmbeddedKeychain
    private let other: EmbeddedKeychain

    private init() {
        let path = folder.path
        func caller(_ group: String) -> CallerIdentity {
            CallerIdentity(
                user: 0, process: 0, program: group, provenance: .signed(team: "TEAM", identifier: group),
                groups: [group, "\(group).second"])
        }
        keychain = must("a keychain") { () throws(Refusal) in
            try EmbeddedKeychain(folder: path, caller: caller("TEAM.own")) { () throws(Refusal) in
                try SoftwareEnclave(
                    vault: "\(path)/vault", createIfMissing: true, passcodeCost: .cheapest, userAgent: FuzzUser(0))
            }
        }
        other = keychain.seen(by: caller("TEAM.other"))
        KeychainSession.scoped(to: other) { Self.add(Self.foreignValue) }
        run { Self.add(Self.ownValue) }
    }

    func run<Result>(_ body: () -> Result) -> Result { KeychainSession.scoped(to: keychain, body) }

    func check(mayHaveChanged: Bool) {
        KeychainSession.scoped(to: other) {
            require(Self.value() == Self.foreignValue, "another program's item is gone or changed")
        }
        run {
            guard mayHaveChanged else {
                return require(Self.value() == Self.ownValue, "an item is gone or changed, and nothing said so")
            }
            for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey] {
                SecItemDelete(
                    [kSecClass: itemClass, kSecAttrSynchronizable: kSecAttrSynchronizableAny] as CFDictionary)
            }
            Self.add(Self.ownValue)
            require(Self.value() == Self.ownValue, "an item cannot be found that was added")
        }
    }

    private static func add(_ value: Data) {
        let status = SecItemAdd(item.merging([kSecValueData: value]) { $1 } as CFDictionary, nil)
        require(status == errSecSuccess, "an item cannot be added: \(status)")
    }

    private static func value() -> Data? {
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(item.merging([kSecReturnData: true]) { $1 } as CFDictionary, &result)
        return status == errSecSuccess ? result as? Data : nil
    }

    private static var item: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: "kept", kSecAttrAccount: "a"]
    }
}

/// Makes dictionaries of an input.
private struct DictionaryReader {
    private var input: InputReader
    private static let keys = AttributeTable.rows.map(\.code) + QueryKey.rows.map(\.code)
    /// Values that have a meaning.
    static let words = [
        "genp", "inet", "cert", "keys", "idnt", "ak", "ck", "dk", "aku", "akpu", "cku", "dku", "m_LimitOne",
        "m_LimitAll",
        "syna", "u_AuthUIA", "u_AuthUIF", "u_AuthUIS", "kept", "a", "TEAM.own", "TEAM.own.second", "TEAM.other", "htps",
        "example.org", "42", "0", "1", "", "com.apple.token", "*",
    ]

    init(_ input: InputReader) { self.input = input }

    var isAtEnd: Bool { input.isAtEnd }

    mutating func byte() -> UInt8 { input.byte() }

    mutating func dictionary(_ depth: Int) -> NSDictionary {
        let result = NSMutableDictionary()
        for _ in 0..<(input.byte() % 12) {
            let number = Int(input.byte())
            let key = number < Self.keys.count ? Self.keys[number] : text()
            result.setObject(value(depth), forKey: NSString(string: key))
        }
        return NSDictionary(dictionary: result as? [AnyHashable: Any] ?? [:])
    }

    private mutating func text() -> String { String(decoding: input.run(), as: UTF8.self) }

    private mutating func value(_ depth: Int) -> Any {
        switch input.byte() % 14 {
        case 0, 1: return Self.words[Int(input.byte()) % Self.words.count]
        case 2: return text()
        case 3: return Data(input.run())
        case 4: return NSNumber(value: Int32(bitPattern: input.number()))
        case 5: return input.byte() & 1 == 1
        case 6: return Date(timeIntervalSinceReferenceDate: Double(Int32(bitPattern: input.number())))
        case 7: return NSNumber(value: Double(bitPattern: UInt64(input.number()) << 32 | UInt64(input.number())))
        case 8: return NSNull()
        case 9 where depth < 3: return NSArray(array: (0..<(input.byte() % 4)).map { _ in value(depth + 1) })
        case 10 where depth < 3: return dictionary(depth + 1)
        case 11:
            return SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlocked, SecAccessControlCreateFlags(rawValue: UInt(input.number())), nil)
                ?? NSNull()
        case 12: return NSNumber(value: UInt64(input.number()) << 32 | UInt64(input.number()))
        default: return Data(Array("genp".utf8) + input.take(16))
        }
    }
}

extension FuzzSeeds {
    static func ofQuery() -> [[UInt8]] {
        let codes = AttributeTable.rows.map(\.code) + QueryKey.rows.map(\.code)
        func entry(_ code: String, _ value: [UInt8]) -> [UInt8] { [UInt8(codes.firstIndex(of: code) ?? 255)] + value }
        func word(_ text: String) -> [UInt8] { [0, UInt8(DictionaryReader.words.firstIndex(of: text) ?? 0)] }
        func dictionary(_ entries: [UInt8]...) -> [UInt8] { [UInt8(entries.count)] + entries.joined() }
        let (yes, data): ([UInt8], [UInt8]) = ([5, 1], [3, 3, 1, 2, 3])
        var seeds: [[UInt8]] = []
        for itemClass in ["genp", "inet", "cert", "keys", "idnt"] {
            let named = entry("class", word(itemClass))
            let own = entry("acct", word("a"))
            let all = entry("m_Limit", word("m_LimitAll"))
            seeds += [
                [0]
                    + dictionary(
                        named, entry("acct", [2, 1, 98]), entry("v_Data", data), entry("r_PersistentRef", yes)),
                [1] + dictionary(named, own, entry("r_Data", yes), entry("r_Attributes", yes)),
                [1] + dictionary(named, all, entry("r_Data", yes), entry("sync", word("syna"))),
                [1] + dictionary(named, all, entry("r_Ref", yes), entry("agrp", word("TEAM.other"))),
                [3] + dictionary(named, own) + dictionary(entry("v_Data", data), entry("labl", word("kept"))),
                [4] + dictionary(named, own), [4] + dictionary(named),
                [0] + dictionary(named, own, entry("accc", [11, 1, 0, 0, 0]), entry("v_Data", data)),
                [0]
                    + dictionary(
                        named, own, entry("pdmn", word("akpu")), entry("v_Data", data), entry("u_UpdateExisting", yes)),
            ]
            seeds += codes.map { code in
                [1] + dictionary(named, entry(code, yes), entry("r_Attributes", yes)) + [0]
                    + dictionary(named, entry(code, data), entry("v_Data", data))
            }
        }
        return seeds
    }
}
