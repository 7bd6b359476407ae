package import KeychainModel

extension CryptoError {
    /// The error as the user of a key sees it (rule keys.form.errors): −50 for everything that the user can correct.
    ///
    /// - Parameter subject: the operation, function or parameter that the error is about.
    package func refusal(_ subject: String) -> Refusal {
        switch self {
        case .unsupportedAlgorithm: .algorithmNotSupported(subject)
        case .unsupportedKeySize:
            Refusal(
                .param, .keySize, subject, "No key of this type has this size.",
                do: "Use RSA of 512 to 8192 bits, or a curve of 192, 224, 256, 384 or 521 bits.")
        case .malformedKey:
            Refusal(
                .param, .keyData, subject, "The bytes are not a key of this type, or the peer's key does not fit.",
                do: "Give PKCS #1 for RSA, 04 ‖ X ‖ Y (‖ K for a private key) for curves, 32 bytes for Curve25519.")
        case .malformedCertificate:
            Refusal(
                .param, .keyData, subject, "The bytes are not a certificate.", do: "Give an X.509 certificate in DER.")
        case .wrongInputSize:
            Refusal(
                .param, .keyInput, subject, "The algorithm does not take an input of this size with this key.",
                do: "Give a digest its own length, and no more than the padding leaves room for.")
        case .invalidParameter:
            Refusal(
                .param, .keyParameter, subject, "The parameters do not go with the algorithm.",
                do: "Give requestedSize to exchanges with X963; sharedInfo to X963 and ECIES.")
        case .authenticationFailed, .boxTooShort:
            Refusal(
                .param, .keyInput, subject,
                "The ciphertext was made for another key or algorithm, or was changed.",
                do: "Check which key and algorithm it was made with.")
        case .tooLong:
            Refusal(.param, .tooLarge, subject, "The input is longer than 1 GiB.", do: "Encrypt it in parts.")
        case .libraryFailure:
            Refusal(
                .internalError, .internalError, subject, "OpenSSL refused the operation.",
                do: "Check that OpenSSL's default provider is active and there is memory.")
        }
    }
}

extension Refusal {
    /// The refusal of an algorithm that the key cannot be used with.
    package static func algorithmNotSupported(_ subject: String) -> Refusal {
        Refusal(
            .param, .keyAlgorithm, subject, "The algorithm is not supported by the key.",
            do:
                "Ask SecKeyIsAlgorithmSupported. Private keys sign, decrypt and exchange; public keys do the rest."
        )
    }
}
