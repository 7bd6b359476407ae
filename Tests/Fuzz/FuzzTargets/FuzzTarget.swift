import Glibc
import LinuxSystem

/// The readers of bytes from outside; each is fuzzed by itself.
package enum FuzzTarget: String, CaseIterable {
    case der = "fuzz-der"
    case certificate = "fuzz-certificate"
    case pkcs12 = "fuzz-pkcs12"
    case key = "fuzz-key"
    case executable = "fuzz-executable"
    case entitlements = "fuzz-entitlements"
    case request = "fuzz-request"
    case reply = "fuzz-reply"
    case enclave = "fuzz-enclave"
    case agent = "fuzz-agent"
    case system = "fuzz-system"
    case attributes = "fuzz-attributes"
    case query = "fuzz-query"
    case row = "fuzz-row"
    case vault = "fuzz-vault"
    case sealedKey = "fuzz-sealed-key"
    case accessControl = "fuzz-access-control"
    case configuration = "fuzz-configuration"
    case command = "fuzz-command"
    case json = "fuzz-json"
    case file = "fuzz-file"
    case sync = "fuzz-sync"
    case backup = "fuzz-backup"

    /// Tries one input; whatever is wrong ends the process.
    package func tryInput(_ bytes: Span<UInt8>) {
        switch self {
        case .der: fuzzDER(bytes)
        case .certificate: fuzzCertificate(bytes)
        case .pkcs12: fuzzPKCS12(bytes)
        case .key: fuzzKey(bytes)
        case .executable: fuzzExecutable(bytes)
        case .entitlements: fuzzEntitlements(bytes)
        case .request: fuzzRequest(bytes)
        case .reply: fuzzReply(bytes)
        case .enclave: fuzzEnclave(bytes)
        case .agent: fuzzAgent(bytes)
        case .system: fuzzSystem(bytes)
        case .attributes: fuzzAttributes(bytes)
        case .query: fuzzQuery(bytes)
        case .row: fuzzRow(bytes)
        case .vault: fuzzVault(bytes)
        case .sealedKey: fuzzSealedKey(bytes)
        case .accessControl: fuzzAccessControl(bytes)
        case .configuration: fuzzConfiguration(bytes)
        case .command: fuzzCommand(bytes)
        case .json: fuzzJSON(bytes)
        case .file: fuzzFile(bytes)
        case .sync: fuzzSync(bytes)
        case .backup: fuzzBackup(bytes)
        }
    }

    /// The inputs that fuzzing begins with, as the program's own encoders make them; make_seeds.py makes those of the
    /// first six.
    var seeds: [[UInt8]] {
        switch self {
        case .der, .certificate, .pkcs12, .key, .executable, .entitlements: []
        case .request: FuzzSeeds.ofRequest()
        case .reply: FuzzSeeds.ofReply()
        case .enclave: FuzzSeeds.ofEnclave()
        case .agent: FuzzSeeds.ofAgent()
        case .system: FuzzSeeds.ofSystem()
        case .attributes: FuzzSeeds.ofAttributes()
        case .query: FuzzSeeds.ofQuery()
        case .row: FuzzSeeds.ofRow()
        case .vault: FuzzSeeds.ofVault()
        case .sealedKey: FuzzSeeds.ofSealedKey()
        case .accessControl: FuzzSeeds.ofAccessControl()
        case .configuration: FuzzSeeds.ofConfiguration()
        case .command: FuzzSeeds.ofCommand()
        case .json: FuzzSeeds.ofJson()
        case .file: FuzzSeeds.ofFile()
        case .sync: FuzzSeeds.ofSync()
        case .backup: FuzzSeeds.ofBackup()
        }
    }

    /// The one that the environment names.
    package static let chosen: FuzzTarget = {
        let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) }
        guard let target = name.flatMap(FuzzTarget.init(rawValue:)) else {
            fatalError("FUZZ_TARGET must be one of \(allCases.map(\.rawValue))")
        }
        return target
    }()
}

/// The inputs that fuzzing begins with, for each target.
enum FuzzSeeds {}
