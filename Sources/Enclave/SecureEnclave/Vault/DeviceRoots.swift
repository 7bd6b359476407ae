import EnclaveWire
package import KeychainModel

/// The roots that this process can use.
package struct DeviceRoots: Sendable {
    private let tpm: Result<any DeviceRoot, Refusal>

    /// Software, and a TPM or the reason why there is none.
    package init(tpm: Result<any DeviceRoot, Refusal>) { self.tpm = tpm }

    /// Software alone: for an enclave in the program's own process.
    package static var softwareOnly: DeviceRoots { DeviceRoots(tpm: .failure(.needsDaemonForTPM)) }

    /// The root of a kind.
    ///
    /// - Throws: why there is none.
    func root(_ kind: DeviceRootKind) throws(Refusal) -> any DeviceRoot {
        switch kind {
        case .software: SoftwareRoot()
        case .tpm: try tpm.get()
        }
    }
}

extension Refusal {
    fileprivate static var needsDaemonForTPM: Refusal {
        Refusal(
            .notAvailable, .unavailable, "tpm",
            "The keys of this keychain rest on the machine's TPM, which only the keychain's daemon uses.",
            do: "Use it through keychaind: install it, and do not set KEYCHAIN_MODE to embedded. Nothing was changed.")
    }
}
