internal import KeychainCrypto
internal import KeychainModel

extension Refusal {
    static func cms(_ subject: String, _ problem: String, do remedy: String, _ status: KeychainStatus = .param)
        -> Refusal
    {
        Refusal(status, .cmsMessage, subject, problem, do: remedy)
    }

    static func cms(_ error: CMSError, _ function: String) -> Refusal {
        switch error {
        case .malformed:
            cms(
                function, "The bytes are no cryptographic message, or a damaged one.",
                do: "Look at them with `openssl cms -cmsout -print`. Convert PEM and S/MIME to DER first.",
                .unknownFormat)
        case .tooLarge:
            cms(
                function, "The message, or what it asks for, is larger than any has reason to be.",
                do: "Encrypt a file with a key, and send the key as a message.", .unknownFormat)
        case .unknownKind:
            cms(
                function, "The message is neither signed nor enveloped data.", do: "Read it with `openssl cms`.",
                .unknownFormat)
        case .noRecipient:
            cms(
                function,
                "The message is encrypted, and no identity that this program finds is among its recipients.",
                do:
                    "Add the recipient's identity to the keychain, with a key that is extractable.",
                .itemNotFound)
        case .undecryptable:
            cms(function, "The content does not decrypt.", do: "Ask the sender for the message again.", .decode)
        case .unusable:
            cms(
                function, "A certificate or key cannot be used for a message.",
                do: "Use RSA or elliptic curves (P-256, P-384, P-521); give each signer the key of the certificate.")
        case .libraryFailure:
            cms(function, "OpenSSL has refused.", do: "Check the free memory.", .internalComponent)
        }
    }
}

extension Refusal.Rule {
    fileprivate static let cmsMessage = Self(rawValue: "cms.message")
}

extension KeychainStatus {
    static let unknownFormat = Self(rawValue: errSecUnknownFormat)
    static let internalComponent = Self(rawValue: errSecInternalComponent)
}

/// Runs the encoding or reading of a message.
func explained<Result>(_ function: String, _ body: () throws(CMSError) -> Result) throws(Refusal) -> Result {
    do throws(CMSError) { return try body() } catch { throw .cms(error, function) }
}

extension SecKey {
    /// The key itself, for OpenSSL.
    ///
    /// - Throws: `errSecUnimplemented` for a key that does not leave its place.
    func ownKey(for function: String) throws(Refusal) -> PrivateKey {
        if let own = material as? PrivateKeyMaterial { return own.key }
        throw Refusal(
            .unimplemented, .cmsMessage, function,
            "The private key does not leave the enclave, or is none, and messages are made outside of it.",
            do: "Use an identity whose key is extractable, or sign data with SecKeyCreateSignature.")
    }
}
