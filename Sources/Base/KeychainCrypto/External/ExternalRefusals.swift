package import KeychainModel

extension ExternalFailure {
    /// The refusal that a caller sees.
    ///
    /// - Parameter subject: what the file was given as.
    package func refusal(_ subject: String) -> Refusal {
        let (status, problem, remedy) = explanation
        return Refusal(KeychainStatus(rawValue: status), .externalItem, subject, problem, do: remedy)
    }

    /// Apple's status (SecBase.h), the problem and the remedy.
    private var explanation: (status: Int32, problem: String, remedy: String) {
        switch self {
        case .unknownForm:
            (
                -25257, "The data is no key, certificate or file of them that is read here.",
                "Make it PEM or PKCS #12 with openssl."
            )
        case .unsupportedForm:
            (-25256, "The form does not hold these items.", "Use a PEM sequence, or leave the form out.")
        case .needsPassphrase: (-25260, "There is no passphrase.", "Give the passphrase of the file.")
        case .wrongPassphrase: (-25264, "The passphrase is another one.", "Give the passphrase of the file.")
        case .tooMuchWork:
            (
                -25257, "The file demands more work or memory than is allowed.",
                "Write the file again with fewer iterations."
            )
        case .unknownCipher:
            (
                -25257, "The file is encrypted with a cipher that OpenSSL does not have here.",
                "Write the file again with AES, or install OpenSSL's legacy provider."
            )
        case .wrappedOpenSSH:
            (
                -25256, "An OpenSSH key with a passphrase is not read.",
                "Convert a copy of it with `ssh-keygen -p -m PKCS8`."
            )
        case .nothing: (KeychainStatus.param.rawValue, "There is nothing to write.", "Give at least one item.")
        case .libraryFailure: (-2070, "OpenSSL has refused.", "Check the free memory.")
        }
    }
}

extension Refusal.Rule {
    fileprivate static let externalItem = Self(rawValue: "import.external-item")
}
