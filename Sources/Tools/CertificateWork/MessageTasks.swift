import CertificateWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

extension WriteMessage {
    func answer() throws(Refusal) -> Answer {
        guard let hash = HashFunction(digestBits: digestBits) else { throw .malformed("a digest") }
        var writer = CMSWriter()
        (writer.hash, writer.isDetached) = (hash, isDetached)
        if namesTime { writer.attributes.insert(.signingTime) }
        if let signer = try signer.pairs().first {
            writer.signers = [signer]
            writer.certificates = [signer.certificate]
        }
        for encoded in certificates { writer.certificates.append(try Certificate(reading: encoded.span)) }
        for encoded in recipients { writer.recipients.append(try Certificate(reading: encoded.span)) }
        let content = content.withSpan { $0.array(0, $0.count) }
        do throws(CMSError) {
            let message = try writer.message(of: content)
            return Answer(SecretBytes(copying: message.span))
        } catch { throw error.refusal }
    }
}

extension ReadMessage {
    func answer() throws(Refusal) -> Answer {
        let pairs = try keys.pairs()
        let (bytes, outside) = (message.array, content?.array)
        do throws(CMSError) {
            let message = try CMSMessage(bytes, content: outside) { isRecipient in
                pairs.first { isRecipient($0.certificate) }
            }
            let signers = message.signers.map {
                MessageSigner($0.certificate?.encoded ?? [], holds: $0.holds ?? false)
            }
            let content = message.content ?? outside ?? []
            return Answer(SecretBytes(copying: content.span), isEncrypted: message.isEncrypted, signers)
        } catch { throw error.refusal }
    }
}

extension [CertificateItem] {
    /// Each private key with its certificate.
    fileprivate func pairs() throws(Refusal) -> [CMSWriter.Signer] {
        var pairs: [CMSWriter.Signer] = []
        for item in self where item.isPrivateKey {
            guard let own = first(where: { $0.itemClass == .certificate && $0.keyHash == item.keyHash }),
                case .certificate(let certificate) = try own.external(), case .privateKey(let key) = try item.external()
            else { continue }
            pairs.append(CMSWriter.Signer(certificate, key))
        }
        return pairs
    }
}

extension SecretBytes {
    fileprivate var array: [UInt8] { withSpan { $0.array(0, $0.count) } }
}

extension HashFunction {
    fileprivate init?(digestBits: UInt16) {
        switch digestBits {
        case 1: self = .sha1
        case 256: self = .sha256
        case 384: self = .sha384
        case 512: self = .sha512
        default: return nil
        }
    }
}

extension CMSError {
    /// The refusal that a caller sees.
    fileprivate var refusal: Refusal {
        let (problem, remedy) = explanation
        return Refusal(.decode, Refusal.Rule(rawValue: "certificates.message"), "message", problem, do: remedy)
    }

    private var explanation: (problem: String, remedy: String) {
        switch self {
        case .malformed: ("The input is not a cryptographic message, or a damaged one.", "Give a message in DER.")
        case .tooLarge: ("The message is larger than is allowed.", "Encrypt large data as a file.")
        case .unknownKind: ("The message is neither signed nor enveloped data.", "Read it with `openssl cms`.")
        case .noRecipient:
            ("The keychain has the private key of no recipient.", "Import the recipient's certificate and key.")
        case .undecryptable: ("The content does not decrypt.", "Get the message again; it is damaged.")
        case .unusable: ("The certificate or its key cannot sign or receive.", "Use another certificate.")
        case .libraryFailure: ("OpenSSL has refused.", "Check the free memory.")
        }
    }
}
