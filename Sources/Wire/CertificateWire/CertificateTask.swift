package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A task of `keychain-pki`: `security` writes it to the program's input, and reads the answer from its output.
///
///     task   = version:u8 kind:u8 fields
///     answer = status:i32 fields           ; when the status is success
///     answer = status:i32 refusal          ; otherwise
///
/// Both end with their stream. All integers are little-endian; texts and bytes have their length before them.
package protocol CertificateTask {
    associatedtype Answer: CertificateAnswer

    static var kind: CertificateTaskKind { get }

    /// Reads the fields.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`).
    init(reading reader: inout WireReader) throws(Refusal)

    /// Appends the fields.
    func append(to buffer: SecretBuffer)
}

/// The answer to a task.
package protocol CertificateAnswer {
    /// Reads the fields, of which none is believed.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`).
    init(reading reader: inout WireReader) throws(Refusal)

    /// Appends the fields.
    func append(to buffer: SecretBuffer)
}

/// The number of a task.
package enum CertificateTaskKind: UInt8, Sendable {
    case readFile = 1
    case describe = 2
    case evaluate = 3
    case writeFile = 4
    case makeKeys = 5
    case writeMessage = 6
    case readMessage = 7
    case writeTrustSettings = 8
    case readTrustSettings = 9
}

/// Limits of everything that a file can make grow.
package enum CertificateLimits {
    /// Of a file, as PEM: the certificates of a whole operating system have 250 KB.
    package static let fileBytes = 16 << 20
    /// Of a task: a file and the certificates of a keychain.
    package static let taskBytes = 48 << 20
    package static let answerBytes = 48 << 20
    package static let certificates = 4096
    package static let certificateBytes = 1 << 20
    package static let passphraseBytes = 4096
    package static let nameBytes = 1 << 16
    /// The release of this encoding: both programs come from one installation.
    package static let version: UInt8 = 1
}

extension CertificateTask {
    /// The whole task.
    package func encoded() -> SecretBytes {
        let buffer = SecretBuffer()
        buffer.append(CertificateLimits.version)
        buffer.append(Self.kind.rawValue)
        append(to: buffer)
        return buffer.finish()
    }
}

extension WireReader {
    /// The head of a task.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for another version or an unknown kind.
    package mutating func certificateTask() throws(Refusal) -> CertificateTaskKind {
        guard try integer(UInt8.self) == CertificateLimits.version,
            let kind = CertificateTaskKind(rawValue: try integer(UInt8.self))
        else { throw .malformed("the head of the task") }
        return kind
    }

    /// A whole answer.
    ///
    /// - Throws: the refusal that it carries; `errSecParam` (`wire.malformed`).
    package mutating func certificateAnswer<Answer: CertificateAnswer>(_: Answer.Type) throws(Refusal) -> Answer {
        let status = try integer(Int32.self)
        guard status == 0 else {
            let refusal = try refusal(status: status)
            guard isAtEnd else { throw .malformed("the end of the answer") }
            throw refusal
        }
        let answer = try Answer(reading: &self)
        guard isAtEnd else { throw .malformed("the end of the answer") }
        return answer
    }

    /// A switch.
    mutating func flag() throws(Refusal) -> Bool {
        switch try integer(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw .malformed("a switch")
        }
    }

    /// How many elements follow.
    mutating func count(atMost most: Int = CertificateLimits.certificates) throws(Refusal) -> Int {
        let count = Int(try integer(UInt32.self))
        guard count <= most else { throw .malformed("a number of elements") }
        return count
    }

    /// Certificates in DER.
    mutating func certificates() throws(Refusal) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for _ in 0..<(try count()) { found.append(try bytes(atMost: CertificateLimits.certificateBytes)) }
        return found
    }

    /// A name for people.
    mutating func shortText() throws(Refusal) -> String {
        let text = try text()
        guard text.utf8.count <= CertificateLimits.nameBytes else { throw .malformed("the length of a name") }
        return text
    }

    /// A passphrase; nil when there is none.
    mutating func passphrase() throws(Refusal) -> SecretBytes? {
        try flag() ? try secret(atMost: CertificateLimits.passphraseBytes) : nil
    }
}

extension SecretBuffer {
    func append(flag: Bool) { append(flag ? 1 : 0) }

    func append(count: Int) { append(littleEndian: UInt32(truncatingIfNeeded: count)) }

    func append(certificates: [[UInt8]]) {
        append(count: certificates.count)
        for certificate in certificates { append(bytes: certificate.span) }
    }

    func append(secret: SecretBytes) { secret.withSpan { append(bytes: $0) } }

    func append(passphrase: SecretBytes?) {
        append(flag: passphrase != nil)
        if let passphrase { append(secret: passphrase) }
    }
}
