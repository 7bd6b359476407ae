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
// Every module obeys the same law: Swift 6 mode, no warnings, unsafe code marked where it stands.
let law = warnings + rules

// A module's place in the tree is its layer; what it may import is its row here and nothing else
// (Tests/Architecture holds the import lines of every file against these rows).
func module(_ name: String, in layer: String, uses modules: [String] = []) -> Target {
    .target(
        name: name, dependencies: modules.map { .byName(name: $0) }, path: "Sources/\(layer)/\(name)",
        swiftSettings: law)
}

func program(_ name: String, in layer: String, uses modules: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: modules.map { .byName(name: $0) }, path: "Sources/\(layer)/\(name)",
        swiftSettings: law)
}

func tests(_ name: String, in layer: String, uses modules: [String]) -> Target {
    .testTarget(
        name: name, dependencies: modules.map { .byName(name: $0) }, path: "Tests/\(layer)/\(name)",
        swiftSettings: law)
}

func library(_ name: String, package: String, debian: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/CLibraries/\(name)", pkgConfig: package, providers: [.apt([debian])])
}

// Libraries that the programs alone link. SwiftPM looks for all that have a pkg-config name in the build of every
// dependent, and warns of those that are missing.
func libraryOfPrograms(_ name: String) -> Target {
    .systemLibrary(name: name, path: "Sources/CLibraries/\(name)")
}

// A program that measures the product, outside its layers.
func benchmark(_ name: String, uses modules: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: modules.map { .byName(name: $0) }, path: "Benchmarks/\(name)", swiftSettings: law)
}

let package = Package(
    name: "swift-keychain",
    products: [
        .library(name: "Security", targets: ["Security"]),
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        .library(name: "EnclaveKeys", targets: ["EnclaveKeys"]),
        .library(name: "SecurityAsync", targets: ["SecurityAsync"]),
        .library(name: "Keychain", targets: ["Keychain"]),
        .library(name: "ProtectedFiles", targets: ["ProtectedFiles"]),
        .library(name: "CommonCrypto", targets: ["CommonCrypto"]),
        .library(name: "AppleCompat", targets: ["AppleCompat"]),
        .library(name: "KeychainTesting", targets: ["KeychainTesting"]),
        .library(name: "KeychainModules", targets: ["KeychainModules"]),
        .executable(name: "security", targets: ["SecurityTool"]),
        .executable(name: "keychain-codesign", targets: ["CodesignTool"]),
        .executable(name: "keychain-pki", targets: ["CertificateTool"]),
        .executable(name: "keychain-file", targets: ["FileTool"]),
        .executable(name: "keychaind", targets: ["keychaind"]),
        .executable(name: "keychain-enclaved", targets: ["enclaved"]),
        .executable(name: "keychain-agent", targets: ["agent"]),
        .executable(name: "keychain-session-agent", targets: ["sessionagent"]),
        .executable(name: "keychain-secrets", targets: ["secrets"]),
        .executable(name: "keychain-sync-server", targets: ["syncserver"]),
        .executable(name: "keychain-carrier", targets: ["carrier"]),
    ],
    targets: [
        library("CSQLite", package: "sqlite3", debian: "libsqlite3-dev"),
        library("COpenSSL", package: "libcrypto", debian: "libssl-dev"),
        library("CArgon2", package: "libargon2", debian: "libargon2-dev"),
        library("CExpat", package: "expat", debian: "libexpat1-dev"),
        libraryOfPrograms("CPostgres"),
        libraryOfPrograms("CCurl"),
        libraryOfPrograms("CSeccomp"),
        libraryOfPrograms("CTSS2"),
        libraryOfPrograms("CSystemd"),
        libraryOfPrograms("CPAM"),
        .target(name: "CLinux", path: "Sources/CLibraries/CLinux", cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CSecurity", path: "Sources/CLibraries/CSecurity", exclude: ["headers"]),

        module("KeychainModel", in: "Base", uses: ["LinuxSystem"]),
        module("LinuxSystem", in: "Base", uses: ["CLinux"]),
        module("SystemAccounts", in: "Base", uses: ["LinuxSystem"]),
        module("Systemd", in: "Base", uses: ["LinuxSystem", "CSystemd"]),
        module("CommandOptions", in: "Base", uses: ["LinuxSystem"]),
        module("DER", in: "Base", uses: ["LinuxSystem"]),
        module("KeychainCrypto", in: "Base", uses: ["DER", "KeychainModel", "LinuxSystem", "COpenSSL", "CArgon2"]),

        module("FileFormat", in: "Base", uses: ["KeychainCrypto", "KeychainModel", "LinuxSystem"]),
        module("PropertyLists", in: "Base", uses: ["DER", "LinuxSystem", "CExpat"]),
        module(
            "CodeSignature", in: "Base",
            uses: ["KeychainCrypto", "PropertyLists", "DER", "KeychainModel", "LinuxSystem"]),

        module("SyncFormat", in: "Base", uses: ["KeychainModel", "LinuxSystem"]),
        module("Sandboxes", in: "Base", uses: ["KeychainModel", "LinuxSystem"]),

        module("KeychainWire", in: "Wire", uses: ["SyncFormat", "KeychainModel", "LinuxSystem"]),
        module("EnclaveWire", in: "Wire", uses: ["KeychainWire", "SyncFormat", "KeychainModel", "LinuxSystem"]),
        module(
            "KeychainBackup", in: "Wire", uses: ["KeychainCrypto", "KeychainWire", "KeychainModel", "LinuxSystem"]),
        module("CertificateWire", in: "Wire", uses: ["KeychainWire", "KeychainModel", "LinuxSystem"]),
        module("KeychainClient", in: "Wire", uses: ["KeychainWire", "KeychainModel", "LinuxSystem"]),
        module(
            "FileAccess", in: "Wire",
            uses: ["KeychainClient", "KeychainWire", "FileFormat", "KeychainModel", "LinuxSystem"]),

        module(
            "SecureEnclave", in: "Enclave",
            uses: [
                "FileFormat", "KeychainBackup", "KeychainCrypto", "SyncFormat", "EnclaveWire", "KeychainWire",
                "KeychainModel", "LinuxSystem",
            ]),
        module(
            "TPMEnclave", in: "Enclave",
            uses: [
                "SecureEnclave", "KeychainCrypto", "EnclaveWire", "KeychainWire", "KeychainModel", "LinuxSystem",
                "CTSS2",
            ]),
        program(
            "enclaved", in: "Enclave",
            uses: [
                "SecureEnclave", "TPMEnclave", "EnclaveWire", "KeychainWire", "KeychainModel", "SystemAccounts",
                "CommandOptions", "LinuxSystem", "CSeccomp",
            ]),

        module("LoginPassword", in: "Agent", uses: ["LinuxSystem", "CPAM"]),
        module(
            "UserPresence", in: "Agent",
            uses: [
                "Systemd", "LoginPassword", "EnclaveWire", "KeychainWire", "KeychainModel", "KeychainCrypto",
                "LinuxSystem",
            ]),
        program(
            "agent", in: "Agent",
            uses: ["UserPresence", "EnclaveWire", "KeychainWire", "KeychainModel", "CommandOptions", "LinuxSystem"]),
        program(
            "sessionagent", in: "Agent",
            uses: ["UserPresence", "EnclaveWire", "KeychainWire", "CommandOptions", "LinuxSystem"]),

        module("KeychainPolicy", in: "Daemon", uses: ["KeychainWire", "KeychainModel", "LinuxSystem"]),
        module(
            "KeychainStore", in: "Daemon",
            uses: [
                "KeychainPolicy", "KeychainWire", "KeychainModel", "KeychainCrypto", "LinuxSystem", "CSQLite",
            ]),
        module(
            "KeychainEngine", in: "Daemon",
            uses: [
                "KeychainBackup", "KeychainStore", "KeychainPolicy", "CodeSignature", "FileFormat", "EnclaveWire",
                "KeychainWire",
                "KeychainModel",
                "KeychainCrypto",
                "LinuxSystem",
            ]),
        module(
            "CallerIdentification", in: "Daemon",
            uses: [
                "KeychainPolicy", "CodeSignature", "PropertyLists", "Sandboxes", "KeychainWire", "KeychainModel",
                "LinuxSystem",
            ]),
        module(
            "KeychainServer", in: "Daemon", uses: ["KeychainPolicy", "KeychainWire", "KeychainModel", "LinuxSystem"]),
        module("KeychainMaster", in: "Daemon", uses: ["KeychainWire", "LinuxSystem"]),
        module("SyncMerging", in: "Daemon", uses: ["SyncFormat", "KeychainModel", "LinuxSystem"]),
        module(
            "SyncStore", in: "Daemon",
            uses: ["SyncMerging", "SyncFormat", "KeychainEngine", "KeychainStore", "KeychainModel", "LinuxSystem"]),
        module(
            "SyncService", in: "Daemon",
            uses: [
                "SyncStore", "SyncMerging", "SyncFormat", "KeychainEngine", "KeychainCrypto", "EnclaveWire",
                "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),
        program(
            "keychaind", in: "Daemon",
            uses: [
                "SyncService", "KeychainMaster", "SystemAccounts", "KeychainServer", "CallerIdentification",
                "KeychainEngine",
                "KeychainStore", "KeychainPolicy", "KeychainClient", "EnclaveWire", "KeychainWire", "KeychainModel",
                "CommandOptions", "LinuxSystem",
            ]),

        module("SyncTransports", in: "Carrier", uses: ["SyncFormat", "LinuxSystem"]),
        module(
            "ObjectTransport", in: "Carrier",
            uses: ["SyncTransports", "SyncFormat", "KeychainCrypto", "LinuxSystem", "CCurl"]),
        module(
            "PostgresTransport", in: "Carrier",
            uses: ["SyncTransports", "SyncFormat", "CommandOptions", "LinuxSystem", "CPostgres"]),
        program(
            "syncserver", in: "Carrier",
            uses: ["PostgresTransport", "SyncTransports", "KeychainWire", "CommandOptions", "LinuxSystem"]),
        module(
            "CircleCarrier", in: "Carrier",
            uses: [
                "ObjectTransport", "PostgresTransport", "SyncTransports", "SyncFormat", "KeychainClient",
                "KeychainWire", "KeychainCrypto", "KeychainModel", "CommandOptions", "LinuxSystem",
            ]),
        program("carrier", in: "Carrier", uses: ["CircleCarrier", "KeychainWire", "CommandOptions", "LinuxSystem"]),

        module(
            "EmbeddedKeychain", in: "API",
            uses: [
                "KeychainEngine", "KeychainStore", "CallerIdentification", "KeychainPolicy", "SecureEnclave",
                "KeychainClient", "EnclaveWire", "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),
        module("CoreFoundation", in: "API"),
        module(
            "Security", in: "API",
            uses: [
                "CoreFoundation", "CodeSignature", "PropertyLists",
                "EmbeddedKeychain", "KeychainCrypto", "KeychainClient", "KeychainWire", "KeychainModel", "DER",
                "LinuxSystem",
            ]),
        module(
            "LocalAuthentication", in: "API",
            uses: ["Security", "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem"]),
        module("SecurityAsync", in: "API", uses: ["Security"]),
        module("Keychain", in: "API", uses: ["Security", "LinuxSystem"]),
        module(
            "EnclaveKeys", in: "API",
            uses: ["LocalAuthentication", "Security", "KeychainCrypto", "DER", "KeychainModel", "LinuxSystem"]),
        module(
            "ProtectedFiles", in: "API",
            uses: [
                "LocalAuthentication", "Security", "FileAccess", "FileFormat", "KeychainClient", "KeychainWire",
                "KeychainModel", "LinuxSystem",
            ]),
        module("SecurityABI", in: "API", uses: ["ProtectedFiles", "Security", "KeychainModel", "CSecurity"]),
        module("CommonCrypto", in: "Compatibility", uses: ["KeychainCrypto", "KeychainModel", "LinuxSystem"]),
        module("AppleCompat", in: "Compatibility", uses: ["KeychainCrypto"]),
        module(
            "KeychainModules", in: "API",
            uses: ["CommonCrypto", "CoreFoundation", "LocalAuthentication", "Security"]),
        module(
            "KeychainTesting", in: "API",
            uses: [
                "Security", "EmbeddedKeychain", "SyncService", "SyncFormat", "SecureEnclave", "KeychainPolicy",
                "KeychainClient", "EnclaveWire", "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),

        module(
            "SecretService", in: "Bridges",
            uses: [
                "Systemd", "Sandboxes", "KeychainClient", "KeychainWire", "KeychainCrypto", "KeychainModel", "DER",
                "CommandOptions", "LinuxSystem",
            ]),
        program(
            "secrets", in: "Bridges",
            uses: [
                "SecretService", "Systemd", "KeychainWire", "KeychainModel", "CommandOptions", "LinuxSystem",
            ]),

        module("TerminalText", in: "Tools"),
        module("TerminalScreen", in: "Tools", uses: ["LinuxSystem", "TerminalText"]),
        module(
            "SecurityCommands", in: "Tools",
            uses: [
                "CertificateWire", "KeychainClient", "KeychainWire", "KeychainModel", "DER", "CommandOptions",
                "LinuxSystem", "SyncFormat", "TerminalScreen", "TerminalText",
            ]),
        program(
            "SecurityTool", in: "Tools", uses: ["SecurityCommands"]),
        module(
            "CodesignCommands", in: "Tools",
            uses: [
                "SecurityCommands", "CodeSignature", "PropertyLists", "KeychainClient", "KeychainWire",
                "KeychainCrypto", "KeychainModel", "CommandOptions", "LinuxSystem",
            ]),
        program("CodesignTool", in: "Tools", uses: ["CodesignCommands", "SecurityCommands", "CommandOptions"]),
        module(
            "FileCommands", in: "Tools",
            uses: [
                "FileAccess", "SecurityCommands", "FileFormat", "KeychainClient", "KeychainWire", "KeychainModel",
                "CommandOptions", "LinuxSystem",
            ]),
        program("FileTool", in: "Tools", uses: ["FileCommands", "SecurityCommands", "CommandOptions"]),
        module(
            "CertificateWork", in: "Tools",
            uses: [
                "CertificateWire", "KeychainWire", "KeychainCrypto", "PropertyLists", "DER", "KeychainModel",
                "LinuxSystem",
            ]),
        program("CertificateTool", in: "Tools", uses: ["CertificateWork"]),

        .target(
            name: "TestSupport", dependencies: ["LinuxSystem"], path: "Tests/Support",
            exclude: ["Fixtures", "leaks.supp"], swiftSettings: law),
        .target(
            name: "ServerTestSupport",
            dependencies: [
                "TestSupport", "KeychainServer", "KeychainPolicy", "KeychainWire", "KeychainModel", "LinuxSystem",
            ],
            path: "Tests/Daemon/ServerTestSupport", swiftSettings: law),
        tests("ArchitectureTests", in: "Architecture", uses: []),
        tests("KeychainModelTests", in: "Base", uses: ["KeychainModel", "LinuxSystem", "TestSupport"]),
        tests("LinuxSystemTests", in: "Base", uses: ["LinuxSystem", "SystemAccounts", "TestSupport"]),
        tests(
            "SyncFormatTests", in: "Base",
            uses: ["SyncFormat", "KeychainCrypto", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests("SandboxesTests", in: "Base", uses: ["Sandboxes"]),
        tests("DERTests", in: "Base", uses: ["DER", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychainCryptoTests", in: "Base",
            uses: ["KeychainCrypto", "DER", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "FileFormatTests", in: "Base",
            uses: ["FileFormat", "KeychainCrypto", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "CodeSignatureTests", in: "Base",
            uses: [
                "CodeSignature", "KeychainCrypto", "PropertyLists", "DER", "KeychainModel", "LinuxSystem",
                "TestSupport",
            ]),
        tests(
            "EnclaveWireTests", in: "Wire",
            uses: ["EnclaveWire", "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychainWireTests", in: "Wire",
            uses: ["EnclaveWire", "KeychainWire", "SyncFormat", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychainBackupTests", in: "Wire",
            uses: ["KeychainBackup", "KeychainCrypto", "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "CertificateWireTests", in: "Wire",
            uses: ["CertificateWire", "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychainClientTests", in: "Wire",
            uses: [
                "ServerTestSupport", "TestSupport", "KeychainClient", "KeychainServer", "KeychainPolicy",
                "KeychainWire",
                "KeychainModel", "LinuxSystem",
            ]),
        tests(
            "KeychainServerTests", in: "Daemon",
            uses: [
                "ServerTestSupport", "TestSupport", "KeychainServer", "KeychainPolicy", "KeychainWire", "KeychainModel",
                "LinuxSystem",
            ]),
        tests(
            "KeychainMasterTests", in: "Daemon",
            uses: ["KeychainMaster", "KeychainWire", "LinuxSystem", "TestSupport"]),
        tests(
            "SyncMergingTests", in: "Daemon",
            uses: ["SyncMerging", "SyncFormat", "KeychainCrypto", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "SyncTransportsTests", in: "Carrier", uses: ["SyncTransports", "SyncFormat", "LinuxSystem", "TestSupport"]),
        tests(
            "CircleCarrierTests", in: "Carrier",
            uses: [
                "CircleCarrier", "SyncTransports", "SyncFormat", "KeychainWire", "KeychainModel", "LinuxSystem",
                "TestSupport",
            ]),
        tests(
            "ObjectTransportTests", in: "Carrier",
            uses: ["ObjectTransport", "CircleCarrier", "SyncTransports", "SyncFormat", "LinuxSystem", "TestSupport"]),
        tests(
            "PostgresTransportTests", in: "Carrier",
            uses: [
                "PostgresTransport", "CircleCarrier", "SyncTransports", "SyncFormat", "CommandOptions", "LinuxSystem",
                "TestSupport",
            ]),
        tests(
            "KeychaindTests", in: "Daemon",
            uses: [
                "keychaind", "enclaved", "item-writer", "CodeSignature", "EmbeddedKeychain", "ServerTestSupport",
                "TestSupport", "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),
        tests(
            "SecureEnclaveTests", in: "Enclave",
            uses: [
                "enclaved", "scripted-agent", "SecureEnclave", "KeychainBackup", "KeychainCrypto", "SyncFormat",
                "EnclaveWire", "KeychainWire",
                "KeychainModel",
                "LinuxSystem",
                "TestSupport",
            ]),
        tests(
            "TPMEnclaveTests", in: "Enclave",
            uses: [
                "enclaved", "TPMEnclave", "SecureEnclave", "SecurityCommands", "KeychainCrypto", "EnclaveWire",
                "KeychainWire",
                "KeychainModel", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "UserPresenceTests", in: "Agent",
            uses: [
                "agent", "UserPresence", "LoginPassword", "EnclaveWire", "KeychainWire", "KeychainModel", "LinuxSystem",
                "TestSupport",
            ]),
        tests(
            "LocalAuthenticationTests", in: "API",
            uses: [
                "LocalAuthentication", "KeychainExamples", "KeychainTesting", "Security", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "KeychainLayerTests", in: "API",
            uses: ["Keychain", "SecurityAsync", "KeychainTesting", "Security", "TestSupport"]),
        tests(
            "EnclaveKeysTests", in: "API",
            uses: ["EnclaveKeys", "KeychainTesting", "LocalAuthentication", "Security", "TestSupport"]),
        tests(
            "ProtectedFilesTests", in: "API",
            uses: [
                "ProtectedFiles", "KeychainTesting", "LocalAuthentication", "Security", "LinuxSystem", "TestSupport",
            ]),
        tests("CommonCryptoTests", in: "Compatibility", uses: ["CommonCrypto"]),
        tests("AppleCompatTests", in: "Compatibility", uses: ["AppleCompat"]),
        tests(
            "CallerIdentificationTests", in: "Daemon",
            uses: [
                "CallerIdentification", "KeychainPolicy", "CodeSignature", "Sandboxes", "KeychainWire",
                "KeychainModel", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "KeychainEngineTests", in: "Daemon",
            uses: [
                "SyncService", "SyncTransports", "SyncStore", "SyncMerging", "SyncFormat", "KeychainEngine",
                "KeychainBackup", "KeychainStore",
                "KeychainPolicy", "CodeSignature", "EnclaveWire",
                "FileFormat", "KeychainWire", "KeychainModel",
                "KeychainCrypto", "SecureEnclave", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "KeychainStoreTests", in: "Daemon",
            uses: ["KeychainStore", "KeychainPolicy", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "KeychainPolicyTests", in: "Daemon",
            uses: ["KeychainPolicy", "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport"]),
        tests(
            "DocumentationTests", in: "Daemon",
            uses: [
                "agent", "sessionagent", "enclaved", "keychaind", "CircleCarrier", "PostgresTransport", "SecretService",
                "SecurityCommands", "CommandOptions", "KeychainStore", "KeychainClient", "KeychainWire",
                "KeychainModel", "LinuxSystem",
                "TestSupport",
            ]),
        tests(
            "ExamplesTests", in: "API",
            uses: ["KeychainExamples", "ServerLogin", "Keychain", "KeychainTesting", "Security", "LinuxSystem"]),
        tests(
            "SecurityTests", in: "API",
            uses: [
                "CodeSignature",
                "CoreFoundation", "Security", "LocalAuthentication", "KeychainTesting", "KeychainExamples",
                "EmbeddedKeychain",
                "KeychainServer",
                "KeychainClient", "KeychainPolicy",
                "KeychainWire", "KeychainModel", "LinuxSystem", "TestSupport",
            ]),
        tests(
            "SecretServiceTests", in: "Bridges",
            uses: [
                "SecretService", "Systemd", "Sandboxes", "KeychainClient", "KeychainCrypto", "KeychainModel",
                "LinuxSystem", "TestSupport",
            ]),
        tests("TerminalTextTests", in: "Tools", uses: ["TerminalText"]),
        tests("TerminalScreenTests", in: "Tools", uses: ["TerminalScreen", "TerminalText"]),
        tests(
            "SecurityCommandsTests", in: "Tools",
            uses: [
                "SecurityCommands", "KeychainClient", "KeychainWire", "KeychainModel", "CommandOptions", "LinuxSystem",
                "SyncFormat",
                "TerminalScreen", "TerminalText", "TestSupport",
            ]),

        tests(
            "CodesignCommandsTests", in: "Tools",
            uses: [
                "CodesignCommands", "SecurityCommands", "KeychainModel", "CommandOptions", "LinuxSystem", "TestSupport",
            ]),

        .executableTarget(
            name: "scripted-agent", dependencies: ["EnclaveWire", "KeychainWire", "KeychainModel", "LinuxSystem"],
            path: "Tests/Programs/scripted-agent"),
        .executableTarget(
            name: "file-sealer", dependencies: ["FileFormat", "KeychainCrypto", "KeychainModel", "LinuxSystem"],
            path: "Tests/Programs/file-sealer"),
        .executableTarget(
            name: "file-holder", dependencies: ["ProtectedFiles", "Security"], path: "Tests/Programs/file-holder"),
        .executableTarget(name: "ios-notes", dependencies: ["ProtectedFiles"], path: "Tests/Programs/ios-notes"),
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
                "EnclaveWire", "KeychainWire", "KeychainModel", "LinuxSystem",
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
                "KeychainPolicy", "SecureEnclave", "TPMEnclave", "KeychainClient", "EnclaveWire", "KeychainWire",
                "KeychainModel",
                "LinuxSystem",
            ]),
        .target(name: "CCounters", dependencies: ["CSQLite"], path: "Benchmarks/counters"),
        benchmark(
            "keychain-counts",
            uses: [
                "CCounters", "Security", "SyncService", "SyncStore", "SyncFormat", "EnclaveWire", "KeychainEngine",
                "KeychainStore", "KeychainPolicy",
                "SecureEnclave", "KeychainClient", "KeychainWire", "KeychainModel", "LinuxSystem",
            ]),

        .target(name: "ServerLogin", dependencies: ["Security"], path: "Examples/ServerLogin"),
        .executableTarget(name: "server-login-demo", dependencies: ["ServerLogin"], path: "Examples/server-login-demo"),
        .target(
            name: "KeychainExamples", dependencies: ["Keychain", "LocalAuthentication", "ProtectedFiles", "Security"],
            path: "Examples/KeychainExamples"),
        .executableTarget(
            name: "keychain-demo", dependencies: ["KeychainExamples", "Security"], path: "Examples/keychain-demo"),
    ],
    swiftLanguageModes: [.v6]
)

// What the fuzz targets reach is not offered by the modules, so they are built where everything may be tested: by
// scripts/fuzz, with libFuzzer, and by Tests/Scripts/fuzz_corpora_test.sh, without.
if Context.environment["KEYCHAIN_FUZZ"] != nil {
    package.targets += [
        .target(
            name: "FuzzTargets",
            dependencies: [
                "CSQLite", "Security", "CoreFoundation", "SecurityCommands", "CommandOptions", "EmbeddedKeychain",
                "KeychainEngine", "KeychainBackup",
                "CallerIdentification", "KeychainStore", "KeychainPolicy", "CodeSignature", "FileFormat",
                "SecureEnclave", "ObjectTransport",
                "KeychainClient", "EnclaveWire", "KeychainWire", "SyncFormat", "KeychainCrypto", "KeychainModel", "DER",
                "LinuxSystem",
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
        "ProtectedFiles", "AppleCompat",
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
