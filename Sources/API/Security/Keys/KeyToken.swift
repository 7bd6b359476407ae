internal import KeychainModel

/// Keys held by a token rather than by the program.
enum KeyToken {
    static let secureEnclave = "com.apple.setoken"

    /// Makes a private key in the token.
    ///
    /// - Throws: `Refusal` with −50 for a key that the Secure Enclave does not make (S-55), −4 for other tokens.
    static func make(_ generation: KeyGeneration) throws(Refusal) -> any KeyMaterial {
        guard generation.tokenID == secureEnclave else {
            throw Refusal(
                .unimplemented, .notImplemented, "kSecAttrTokenID", "There is no such token.",
                do: "Use kSecAttrTokenIDSecureEnclave, or leave the token out.")
        }
        guard generation.type == .ecSECPrimeRandom, generation.bits == 256 else {
            throw Refusal(
                .param, .keySize, "kSecAttrTokenID", "The Secure Enclave makes elliptic curve keys of 256 bits only.",
                do: "Ask for kSecAttrKeyTypeECSECPrimeRandom with 256 bits.")
        }
        throw Refusal(
            .unimplemented, .notImplemented, "kSecAttrTokenID", "The Secure Enclave makes no keys yet.",
            do: "Leave the token out; the program then holds the key.")
    }
}
