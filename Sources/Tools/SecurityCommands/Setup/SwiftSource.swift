/// A source file in Swift as it is built for Linux: the modules it imports, and the words of its code.
struct SwiftSource {
    private(set) var imports: Set<String> = []
    private(set) var words: Set<String> = []

    init(_ text: String) {
        var conditions = SwiftConditions()
        for line in text.split(separator: "\n") {
            let words = Self.words(of: line)
            guard !conditions.read(line), conditions.hold else { continue }
            self.words.formUnion(words)
            if let module = Self.module(importedBy: words) { imports.insert(module) }
        }
    }

    /// Whether its code has some of the names and imports nothing that brings them.
    func lacks(_ names: BorrowedNames) -> Bool {
        imports.isDisjoint(with: names.modules) && words.contains { names.has($0) }
    }

    private static func words(of line: Substring) -> [String] {
        code(line).split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
    }

    private static func code(_ line: Substring) -> Substring {
        var rest = line[...]
        while let slash = rest.firstIndex(of: "/") {
            rest = rest[line.index(after: slash)...]
            if rest.first == "/" { return line[..<slash] }
        }
        return line
    }

    private static let kinds: Set = ["class", "struct", "enum", "protocol", "typealias", "func", "let", "var"]

    private static func module(importedBy words: [String]) -> String? {
        guard let place = words.firstIndex(of: "import") else { return nil }
        return words[(place + 1)...].first { !kinds.contains($0) }
    }
}

/// Names that Apple's Foundation brings along, or has, and that a module here has to be imported for.
struct BorrowedNames {
    /// The modules that bring them.
    let modules: Set<String>
    /// The beginnings of names, before a capital.
    private var prefixes: [String] = []
    private var whole: Set<String> = []

    static let security = BorrowedNames(
        modules: ["Security", "LocalAuthentication"],
        prefixes: securityTypes + [
            "kSec", "errSec", "SecItem", "SecRandom", "SecAccess", "SecCopy", "SecExternal", "SecAdd", "SecRequest",
            "SecCreate",
            "SecPKCS", "CMSEncode", "CMSDecode",
        ],
        whole: Set(securityTypes + ["SecAccessControl"]))

    /// Those of CoreFoundation that `Security` brings; its run loops, sockets and streams are not among them.
    static let coreFoundation = BorrowedNames(
        modules: ["CoreFoundation", "Security", "LocalAuthentication"],
        prefixes: coreTypes + ["kCF", "CFMutable", "CFAbsoluteTime", "CFBridging"],
        whole: Set(
            coreTypes + ["CFTypeRef", "CFTypeID", "CFIndex", "CFEqual", "CFHash", "CFGetTypeID", "CFCopyDescription"]
        )
        .union(["CFAbsoluteTime", "CFTimeInterval"]))

    /// Those that no module of the toolchain has.
    static let appleCompat = BorrowedNames(
        modules: ["AppleCompat"],
        whole: [
            "NSMapTable", "NSPointerFunctions", "NSException", "NSExceptionName", "autoreleasepool", "timingsafe_bcmp",
            "memset_s",
        ])

    private static let securityTypes = [
        "SecKey", "SecCertificate", "SecTrust", "SecIdentity", "SecPolicy", "SecCode", "SecStaticCode",
        "SecRequirement",
        "SecTask", "SecPadding",
    ]
    private static let coreTypes = [
        "CFString", "CFData", "CFDate", "CFDictionary", "CFArray", "CFSet", "CFNumber", "CFBoolean", "CFError",
        "CFRange",
        "CFUUID", "CFURL", "CFNull",
    ]

    func has(_ word: String) -> Bool {
        whole.contains(word) || prefixes.contains { word.hasPrefix($0) && Self.goesOn(word.dropFirst($0.count)) }
    }

    private static func goesOn(_ rest: Substring) -> Bool {
        rest.first?.isUppercase == true || rest.first?.isNumber == true
    }
}
