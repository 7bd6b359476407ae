// swift-tools-version: 6.2
import PackageDescription

// SwiftPM hides the warnings of packages that others depend on; Swift Build cannot do that and make them errors.
let isCheckout = Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"
let warnings: [SwiftSetting] = isCheckout ? [] : [.treatAllWarnings(as: .error)]
let rules: [SwiftSetting] = [
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
// Every room obeys the same law: Swift 6 mode, no warnings, unsafe code marked where it stands.
let law = warnings + rules

// A room's place in the tree is its floor; what it may import is its row here and nothing else
// (Tests/Architecture holds the import lines of every file against these rows).
func room(_ name: String, on floor: String, uses rooms: [String] = []) -> Target {
    .target(
        name: name, dependencies: rooms.map { .byName(name: $0) }, path: "Sources/\(floor)/\(name)",
        swiftSettings: law)
}

func program(_ name: String, on floor: String, uses rooms: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: rooms.map { .byName(name: $0) }, path: "Sources/\(floor)/\(name)",
        swiftSettings: law)
}

func tests(_ name: String, on floor: String, uses rooms: [String]) -> Target {
    .testTarget(
        name: name, dependencies: rooms.map { .byName(name: $0) }, path: "Tests/\(floor)/\(name)",
        swiftSettings: law)
}

func library(_ name: String, package: String, debian: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/CLibraries/\(name)", pkgConfig: package, providers: [.apt([debian])])
}

// A program that measures the product, beside it rather than on one of its floors.
func benchmark(_ name: String, uses rooms: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: rooms.map { .byName(name: $0) }, path: "Benchmarks/\(name)", swiftSettings: law)
}

let package = Package(
    name: "swift-keychain",
    products: [
        .library(name: "Security", targets: ["Security"]),
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        .library(name: "EnclaveKeys", targets: ["EnclaveKeys"]),
        .library(name: "SecurityAsync", targets: ["SecurityAsync"]),
        .library(name: "Keychain", targets: ["Keychain"]),
        .library(name: "CommonCrypto", targets: ["CommonCrypto"]),
        .library(name: "AppleCompat", targets: ["AppleCompat"]),
        .library(name: "KeychainTesting", targets: ["KeychainTesting"]),
        .executable(name: "security", targets: ["SecurityTool"]),
        .executable(name: "keychain-codesign", targets: ["CodesignTool"]),
        .executable(name: "keychaind", targets: ["keychaind"]),
        .executable(name: "keychain-enclaved", targets: ["enclaved"]),
        .executable(name: "keychain-agent", targets: ["agent"]),
    ],
    targets: [
        library("CSQLite", package: "sqlite3", debian: "libsqlite3-dev"),
        library("COpenSSL", package: "libcrypto", debian: "libssl-dev"),
        library("CArgon2", package: "libargon2", debian: "libargon2-dev"),
        library("CSeccomp", package: "libseccomp", debian: "libseccomp-dev"),
        library("CTSS2", package: "tss2-esys", debian: "libtss2-dev"),
        library("CSystemd", package: "libsystemd", debian: "libsystemd-dev"),
        library("CPAM", package: "pam", debian: "libpam0g-dev"),
        library("CExpat", package: "expat", debian: "libexpat1-dev"),
        .target(name: "CLinux", path: "Sources/CLibraries/CLinux", cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CSecurity", path: "Sources/CLibraries/CSecurity", exclude: ["headers"]),

        room("KeychainModel", on: "Base", uses: ["LinuxSystem"]),
        room("LinuxSystem", on: "Base", uses: ["CLinux"]),
        room("SystemAccounts", on: "Base", uses: ["LinuxSystem"]),
        room("DER", on: "Base", uses: ["LinuxSystem"]),
        room("KeychainCrypto", on: "Base", uses: ["DER", "KeychainModel", "LinuxSystem", "COpenSSL", "CArgon2"]),

        room("CodeSignature", on: "Base", uses: ["KeychainCrypto", "DER", "KeychainModel", "LinuxSystem", "CExpat"]),

        room("KeychainWire", on: "Wire", uses: ["KeychainModel", "LinuxSystem"]),
        room("KeychainClient", on: "Wire", uses: ["KeychainWire", "KeychainModel", "LinuxSystem"]),

        room("SecureEnclave", on: "Enclave", uses: ["KeychainCrypto", "KeychainWire", "KeychainModel", "LinuxSystem"]),
        room(
            "TPMEnclave", on: "Enclave",
            uses: ["SecureEnclave", "KeychainCrypto", "KeychainWire", "KeychainModel", "LinuxSystem", "CTSS2"]),
        program(
            "enclaved", on: "Enclave",
            uses: [
                "SecureEnclave", "TPMEnclave", "KeychainWire", "KeychainModel", "SystemAccounts", "LinuxSystem",
                "CSeccomp",
            ]),

        room("SystemBus", on: "Agent", uses: ["LinuxSystem", "CSystemd"]),
        room("LoginPassword", on: "Agent", uses: ["LinuxSystem", "CPAM"]),
        room(
            "UserPresence", on: "Agent",
            uses: ["SystemBus", "LoginPassword", "KeychainWire", "KeychainModel", "KeychainCrypto", "LinuxSystem"]),
        program(
            "agent", on: "Agent", uses: ["UserPresence", "KeychainWire", "KeychainModel", "LinuxSystem"]),

        room("KeychainPolicy", on: "Daemon", uses: ["KeychainWire", "KeychainModel", "LinuxSystem"]),
        room(
            "KeychainStore", on: "Daemon",
            uses: [
                "KeychainPolicy", "KeychainWire", "KeychainModel", "KeychainCrypto", "LinuxSystem", "CSQLite",
            ]),
        room(
            "KeychainEngine", on: "Daemon",
            uses: [
                "KeychainStore", "KeychainPolicy", "CodeSignature", "KeychainWire", "KeychainModel", "KeychainCrypto",
                "LinuxSystem",
            ]),
        room(
            "CallerIdentification", on: "Daemon",
            uses: ["KeychainPolicy", "CodeSignature", "KeychainWire", "KeychainModel", "LinuxSystem"]),
        room(
            "KeychainServer", on: "Daemon", uses: ["KeychainPolicy", "KeychainWire", "KeychainModel", "LinuxSystem"]),
        room("KeychainMaster", on: "Daemon", uses: ["KeychainWire", "LinuxSystem"]),
        program(
            "keychaind", on: "Daemon",
            uses: [
                "KeychainMaster", "SystemAccounts", "KeychainServer", "CallerIdentification", "KeychainEngine",
                "KeychainStore", "KeychainPolicy", "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),

        room(
            "EmbeddedKeychain", on: "API",
            uses: [
                "KeychainEngine", "KeychainStore", "CallerIdentification", "KeychainPolicy", "SecureEnclave",
                "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),
        room("CoreFoundation", on: "API"),
        room(
            "Security", on: "API",
            uses: [
                "CoreFoundation", "CodeSignature",
                "EmbeddedKeychain", "KeychainCrypto", "KeychainClient", "KeychainWire", "KeychainModel", "DER",
                "LinuxSystem",
            ]),
        room(
            "LocalAuthentication", on: "API",
            uses: ["Security", "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem"]),
        room("SecurityAsync", on: "API", uses: ["Security"]),
        room("SecurityABI", on: "API", uses: ["Security", "KeychainModel", "CSecurity"]),
        room("Keychain", on: "API", uses: ["Security", "LinuxSystem"]),
        room(
            "EnclaveKeys", on: "API",
            uses: ["LocalAuthentication", "Security", "KeychainCrypto", "DER", "KeychainModel", "LinuxSystem"]),
        room("CommonCrypto", on: "API", uses: ["KeychainCrypto", "KeychainModel", "LinuxSystem"]),
        room("AppleCompat", on: "API", uses: ["KeychainCrypto"]),
        room(
            "KeychainTesting", on: "API",
            uses: [
                "Security", "EmbeddedKeychain", "SecureEnclave", "KeychainPolicy", "KeychainClient", "KeychainWire",
                "KeychainModel", "LinuxSystem",
            ]),

        room(
            "SecurityCommands", on: "Tools",
            uses: ["KeychainClient", "KeychainWire", "KeychainModel", "DER", "LinuxSystem"]),
        program(
            "SecurityTool", on: "Tools", uses: ["SecurityCommands"]),
        room(
            "CodesignCommands", on: "Tools",
            uses: [
                "SecurityCommands", "CodeSignature", "KeychainClient", "KeychainWire", "KeychainCrypto",
                "KeychainModel",
                "LinuxSystem",
            ]),
        program("CodesignTool", on: "Tools", uses: ["CodesignCommands", "SecurityCommands"]),

        .target(
            name: "TestSupport", dependencies: ["LinuxSystem"], path: "Tests/Support",
            exclude: ["Fixtures", "leaks.supp"], swiftSettings: law),
        .target(
            name: "ServerTestSupport",
            dependencies: [
                "TestSupport", "KeychainServer", "KeychainPolicy", "KeychainWire", "KeychainModel", "LinuxSystem",
            ],
            path: "Tests/Daemon/ServerTestSupport", swiftSettings: law),
        tests("ArchitectureTests", on: "Architecture", uses: []),
        tests("KeychainModelTests", on: "Base", uses: ["KeychainModel", "LinuxSystem", "TestSupport"]),
        tests("LinuxSystemTests", on: "Base", uses: ["LinuxSystem", "SystemAccounts", "TestSupport"]),
        tests("DERTests", on: "Base", uses: ["DER", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychainCryptoTests", on: "Base",
            uses: ["KeychainCrypto", "DER", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "CodeSignatureTests", on: "Base",
            uses: ["CodeSignature", "KeychainCrypto", "DER", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests("KeychainWireTests", on: "Wire", uses: ["KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychainClientTests", on: "Wire",
            uses: [
                "ServerTestSupport", "TestSupport", "KeychainClient", "KeychainServer", "KeychainPolicy",
                "KeychainWire",
                "KeychainModel", "LinuxSystem",
            ]),
        tests(
            "KeychainServerTests", on: "Daemon",
            uses: [
                "ServerTestSupport", "TestSupport", "KeychainServer", "KeychainPolicy", "KeychainWire", "KeychainModel",
                "LinuxSystem",
            ]),
        tests(
            "KeychainMasterTests", on: "Daemon",
            uses: ["KeychainMaster", "KeychainWire", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychaindTests", on: "Daemon",
            uses: [
                "keychaind", "enclaved", "item-writer", "CodeSignature", "EmbeddedKeychain", "ServerTestSupport",
                "TestSupport", "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),
        tests(
            "SecureEnclaveTests", on: "Enclave",
            uses: [
                "enclaved", "scripted-agent", "SecureEnclave", "KeychainCrypto", "KeychainWire", "KeychainModel",
                "LinuxSystem",
                "TestSupport",
            ]),
        tests(
            "TPMEnclaveTests", on: "Enclave",
            uses: [
                "enclaved", "TPMEnclave", "SecureEnclave", "SecurityCommands", "KeychainCrypto", "KeychainWire",
                "KeychainModel", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "UserPresenceTests", on: "Agent",
            uses: [
                "agent", "UserPresence", "LoginPassword", "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "LocalAuthenticationTests", on: "API",
            uses: ["LocalAuthentication", "KeychainExamples", "KeychainTesting", "Security", "LinuxSystem"]),
        tests("KeychainLayerTests", on: "API", uses: ["Keychain", "SecurityAsync", "KeychainTesting", "Security"]),
        tests(
            "EnclaveKeysTests", on: "API",
            uses: ["EnclaveKeys", "KeychainTesting", "LocalAuthentication", "Security", "TestSupport"]),
        tests("CommonCryptoTests", on: "API", uses: ["CommonCrypto"]),
        tests("AppleCompatTests", on: "API", uses: ["AppleCompat"]),
        tests(
            "CallerIdentificationTests", on: "Daemon",
            uses: [
                "CallerIdentification", "KeychainPolicy", "CodeSignature", "KeychainWire", "KeychainModel",
                "LinuxSystem",
                "TestSupport",
            ]),
        tests(
            "KeychainEngineTests", on: "Daemon",
            uses: [
                "KeychainEngine", "KeychainStore", "KeychainPolicy", "CodeSignature", "KeychainWire", "KeychainModel",
                "KeychainCrypto", "SecureEnclave", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "KeychainStoreTests", on: "Daemon",
            uses: ["KeychainStore", "KeychainPolicy", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychainPolicyTests", on: "Daemon",
            uses: ["KeychainPolicy", "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "DocumentationTests", on: "Daemon",
            uses: [
                "KeychainStore", "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "ExamplesTests", on: "API",
            uses: ["KeychainExamples", "ServerLogin", "Keychain", "KeychainTesting", "Security", "LinuxSystem"]),
        tests(
            "SecurityTests", on: "API",
            uses: [
                "CodeSignature",
                "CoreFoundation", "Security", "LocalAuthentication", "KeychainTesting", "KeychainExamples",
                "EmbeddedKeychain",
                "KeychainServer",
                "KeychainClient", "KeychainPolicy",
                "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "SecurityCommandsTests", on: "Tools",
            uses: [
                "SecurityCommands", "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport",
            ]),

        tests(
            "CodesignCommandsTests", on: "Tools",
            uses: ["CodesignCommands", "SecurityCommands", "KeychainModel", "LinuxSystem", "TestSupport"]),

        .executableTarget(
            name: "scripted-agent", dependencies: ["KeychainWire", "KeychainModel", "LinuxSystem"],
            path: "Tests/Programs/scripted-agent"),
        .executableTarget(name: "key-user", dependencies: ["Security"], path: "Tests/Programs/key-user"),
        .executableTarget(name: "item-writer", dependencies: ["Security"], path: "Tests/Programs/item-writer"),
        .executableTarget(name: "key-holder", dependencies: ["Security"], path: "Tests/Programs/key-holder"),
        .executableTarget(name: "anchor-lister", dependencies: ["Security"], path: "Tests/Programs/anchor-lister"),
        .executableTarget(name: "guarded-item", dependencies: ["Security"], path: "Tests/Programs/guarded-item"),
        .executableTarget(
            name: "item-changer", dependencies: ["KeychainTesting", "Security"], path: "Tests/Programs/item-changer"),
        .executableTarget(
            name: "item-player",
            dependencies: [
                "Security", "EmbeddedKeychain", "TPMEnclave", "SecureEnclave", "KeychainPolicy", "KeychainClient",
                "KeychainWire", "KeychainModel", "LinuxSystem",
            ],
            path: "Tests/Programs/item-player"),
        .target(
            name: "CYardstick", dependencies: ["CSQLite", "COpenSSL", "CTSS2"], path: "Benchmarks/yardstick",
            exclude: ["daemon.c", "find.c", "secrets.c", "write.c"], cSettings: [.define("_GNU_SOURCE")]),
        benchmark(
            "keychain-bench",
            uses: [
                "CYardstick", "Security", "EmbeddedKeychain", "KeychainServer", "CallerIdentification",
                "KeychainEngine", "KeychainStore",
                "KeychainPolicy", "SecureEnclave", "TPMEnclave", "KeychainClient", "KeychainWire", "KeychainModel",
                "LinuxSystem",
            ]),
        .target(name: "CCounters", dependencies: ["CSQLite"], path: "Benchmarks/counters"),
        benchmark(
            "keychain-counts",
            uses: [
                "CCounters", "Security", "KeychainEngine", "KeychainStore", "KeychainPolicy", "SecureEnclave",
                "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),

        .target(name: "ServerLogin", dependencies: ["Security"], path: "Examples/ServerLogin"),
        .executableTarget(name: "server-login-demo", dependencies: ["ServerLogin"], path: "Examples/server-login-demo"),
        .target(
            name: "KeychainExamples", dependencies: ["Keychain", "LocalAuthentication", "Security"],
            path: "Examples/KeychainExamples"),
        .executableTarget(
            name: "keychain-demo", dependencies: ["KeychainExamples", "Security"], path: "Examples/keychain-demo"),
    ],
    swiftLanguageModes: [.v6]
)

// What the fuzz targets reach is not offered by the rooms, so they are built where everything may be tested: by
// scripts/fuzz, with libFuzzer, and by Tests/Scripts/fuzz_corpora_test.sh, without.
if Context.environment["KEYCHAIN_FUZZ"] != nil {
    package.targets += [
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CSQLite", "Security", "CoreFoundation", "SecurityCommands", "EmbeddedKeychain", "KeychainEngine",
                "CallerIdentification", "KeychainStore", "KeychainPolicy", "CodeSignature", "SecureEnclave",
                "KeychainClient", "KeychainWire", "KeychainCrypto", "KeychainModel", "DER", "LinuxSystem",
            ],
            path: "Tests/Fuzz/FuzzTargets", swiftSettings: law),
        .executableTarget(
            name: "keychain-corpus", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/keychain-corpus",
            swiftSettings: law),
        .executableTarget(
            name: "keychain-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/keychain-fuzz", swiftSettings: law),
    ]
}

// The SDK is one library for programs that do not build this package. What they import keeps its binary interface, so
// that a new library does not break them; the flags are such as no package may have that others depend on.
// scripts/build-sdk asks for it and links the library from the parts.
if Context.environment["KEYCHAIN_SDK"] != nil {
    let modules = [
        "CoreFoundation", "Security", "LocalAuthentication", "SecurityAsync", "Keychain", "EnclaveKeys", "CommonCrypto",
        "AppleCompat",
    ]
    // The parts do not ask the linker for the library that is made of them.
    let isPart = ["-Xfrontend", "-disable-autolink-library", "-Xfrontend", "Security"]
    let isModule = ["-enable-library-evolution", "-module-link-name", "Security"]
    for target in package.targets where modules.contains(target.name) {
        // Foundation's own interface is not stable, of which the compiler warns here alone.
        target.swiftSettings = rules + [.unsafeFlags(isModule + isPart)]
    }
    for target in package.targets where target.name == "SecurityABI" {
        target.swiftSettings = law + [.unsafeFlags(isPart)]
    }
    package.targets.append(
        .target(
            name: "CSecurityLoading", path: "Sources/CLibraries/CSecurityLoading", cSettings: [.define("_GNU_SOURCE")]))
    package.products = [
        .library(name: "SecurityParts", type: .static, targets: modules + ["SecurityABI", "CSecurityLoading"])
    ]
}
