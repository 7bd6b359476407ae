import KeychainModel

/// The enclave's refusals about keys; the statuses are those of rules keys.form.errors, keys.enclave.size.
extension Refusal {
    static let usageNotAllowed = Refusal(
        .authFailed, .keyUsage, "accc", "The key's access control does not let its private half be used.",
        do: "Make the key with an access control that has privateKeyUsage.")

    static let notAttestable = Refusal(
        .notAvailable, .unavailable, "key", "Only a key that was made in a TPM can be attested, and this one was not.",
        do: "Move the keychain onto the TPM (security move-enclave tpm) and make a new key.")

    static let keyOfAnotherStore = Refusal(
        .notAvailable, .unavailable, "key",
        "The key was made in a TPM, which this enclave does not use.",
        do: "Start the keychain with the TPM that made the key; nothing else can use it.")

    static func unknownKeyType(_ number: UInt8) -> Refusal {
        Refusal(
            .param, .keyType, "type", "The enclave takes no keys of the type \(number).",
            do: "Use an RSA or elliptic curve key, or let the key be extractable.")
    }

    static func malformedPrivateKey(_ type: KeyType) -> Refusal {
        Refusal(
            .param, .keyData, "v_Data", "The value is not a private key of the type \(type.constant).",
            do: "Give the external representation of the private key, whole and with nothing behind it.")
    }
}
