import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TPMEnclave

/// Which TPM the enclave may use.
enum TPMChoice: Equatable {
    case none
    /// The system's own, where there is one and this user may use it.
    case system
    /// One that was named. If it cannot be used, that is an error.
    case named(String)

    init(_ text: String) {
        switch text {
        case "none": self = .none
        case "auto": self = .system
        default: self = .named(text)
        }
    }

    /// The kernel's resource manager: it gives every program its own view of the TPM, and cleans up behind it.
    private static let systemDevice = "/dev/tpmrm0"

    /// Connects, as long as this process may still open files.
    ///
    /// - Parameter existing: the root of the vault; nil when there is none yet.
    /// - Returns: the TPM, or why there is none.
    /// - Throws: why a TPM that was asked for by name cannot be had for a new vault, which is not made in software
    ///   then.
    func connect(existing: DeviceRootKind?) throws(Refusal) -> Result<TPM, Refusal> {
        let tpm = connect()
        if case .named = self, existing == nil { _ = try tpm.get() }
        return tpm
    }

    private func connect() -> Result<TPM, Refusal> {
        guard let address else { return .failure(self == .none ? .excludedTPM : .absentTPM(Self.systemDevice)) }
        let tpm = TPM(address)
        do throws(Refusal) {
            try tpm.connect()
            return .success(tpm)
        } catch { return .failure(error) }
    }

    private var address: String? {
        switch self {
        case .none: nil
        case .named(let address): address
        case .system: unsafe access(Self.systemDevice, R_OK | W_OK) == 0 ? "device:\(Self.systemDevice)" : nil
        }
    }
}

extension Refusal {
    fileprivate static var excludedTPM: Refusal {
        Refusal(
            .notAvailable, .unavailable, "tpm", "A TPM is needed, and KEYCHAIN_TPM says that none is to be used.",
            do: "Set KEYCHAIN_TPM to auto, or to how the TPM is reached. Nothing was changed.")
    }

    fileprivate static func absentTPM(_ device: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "tpm", "A TPM is needed, and there is no \(device) that this user may use.",
            do: "Enable the TPM in the firmware, make the user a member of the group tss, or set KEYCHAIN_TPM.")
    }
}
