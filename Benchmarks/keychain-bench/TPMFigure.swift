import CYardstick
import KeychainModel
import LinuxSystem
import TPMEnclave

/// A TPM in software (swtpm) of the benchmark's own, in its folder; it ends with this object.
private final class SoftwareTPM {
    /// How tpm2-tss reaches it. It takes one connection at a time.
    let address: String
    private let program: RunningProgram

    init(in folder: String) throws {
        try PrivateDirectory.ensure(folder)
        let socket = "\(folder)/tpm"
        address = "swtpm:path=\(socket)"
        program = try .daemon(
            "/usr/bin/swtpm",
            [
                "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=unixio,path=\(socket)", "--ctrl",
                "type=unixio,path=\(socket).ctrl", "--flags", "not-need-init,startup-clear",
            ], at: socket)
    }
}

/// A key of the enclave's in a TPM, as the product keeps and uses it.
private final class EnclaveKey {
    private let store: TPMKeyStore
    private let part: SecretBytes
    /// Outlives the connection.
    private let chip: SoftwareTPM

    init(on chip: SoftwareTPM) throws {
        self.chip = chip
        store = TPMKeyStore(TPM(chip.address))
        part = try store.makeKey().privatePart
    }

    func sign() throws {
        let digest = [UInt8](repeating: 7, count: 32)
        _ = try part.withSpan { part throws(Refusal) in try store.sign(digest: digest.span, with: part) }
    }
}

/// The same in C.
@safe private final class CKey {
    private let chip: SoftwareTPM
    private let tpm: OpaquePointer

    init(on chip: SoftwareTPM) {
        self.chip = chip
        unsafe tpm = yardstick_tpm_open(chip.address)
    }

    deinit { unsafe yardstick_tpm_close(tpm) }

    func sign() throws {
        guard unsafe yardstick_tpm_sign(tpm) == 1 else { throw BenchError("The yardstick's TPM does not sign.") }
    }
}

extension Bench {
    /// Each side has a TPM to itself, as one serves one connection; both are the same program, started the same way.
    func measureTPMSigning() throws -> Measurement {
        let ours = try EnclaveKey(on: SoftwareTPM(in: "\(folder)/tpm-ours"))
        let floor = try CKey(on: SoftwareTPM(in: "\(folder)/tpm-floor"))
        return Measurement(
            try Comparison(
                rounds: rounds(40), ours: medianTime(of: 100) { _ in try ours.sign() },
                floor: medianTime(of: 100) { _ in try floor.sign() }), in: .microseconds)
    }
}
