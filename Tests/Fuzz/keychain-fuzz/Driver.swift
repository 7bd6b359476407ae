import Glibc

/// What reads bytes from outside; each is fuzzed by itself.
enum FuzzTarget: String, CaseIterable {
    case der = "fuzz-der"
    case certificate = "fuzz-certificate"
    case pkcs12 = "fuzz-pkcs12"
    case key = "fuzz-key"
    case executable = "fuzz-executable"
    case entitlements = "fuzz-entitlements"

    /// Tries one input; whatever is wrong ends the process.
    func tryInput(_ bytes: Span<UInt8>) {
        switch self {
        case .der: fuzzDER(bytes)
        case .certificate: fuzzCertificate(bytes)
        case .pkcs12: fuzzPKCS12(bytes)
        case .key: fuzzKey(bytes)
        case .executable: fuzzExecutable(bytes)
        case .entitlements: fuzzEntitlements(bytes)
        }
    }

    /// The one that the environment names.
    static let chosen: FuzzTarget = {
        let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) }
        guard let target = name.flatMap(FuzzTarget.init(rawValue:)) else {
            fatalError("FUZZ_TARGET must be one of \(allCases.map(\.rawValue))")
        }
        return target
    }()
}

/// Tries one input on the chosen target. libFuzzer's own main, which is linked though it is not used, wants this name.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    FuzzTarget.chosen.tryInput(unsafe Span(_unsafeStart: start, count: count))
    return 0
}

// A C function of libFuzzer, which `-sanitize=fuzzer` links; it has no header.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt
