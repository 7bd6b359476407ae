package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Reads the certificates and keys in a file of any form.
package struct ReadFile: CertificateTask {
    package static let kind = CertificateTaskKind.readFile
    package let file: SecretBytes
    /// Nil when none was given.
    package let passphrase: SecretBytes?

    package init(file: SecretBytes, passphrase: SecretBytes?) { (self.file, self.passphrase) = (file, passphrase) }

    package init(reading reader: inout WireReader) throws(Refusal) {
        file = try reader.secret(atMost: CertificateLimits.fileBytes)
        passphrase = try reader.passphrase()
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(secret: file)
        buffer.append(passphrase: passphrase)
    }

    /// The items, in the order of the file.
    package struct Answer: CertificateAnswer {
        package let items: [CertificateItem]

        package init(_ items: [CertificateItem]) { self.items = items }
        package init(reading reader: inout WireReader) throws(Refusal) { items = try reader.certificateItems() }
        package func append(to buffer: SecretBuffer) { buffer.append(items: items) }
    }
}

/// The form of a file that `security export` writes.
package enum ExportForm: UInt8, Sendable {
    case usual = 0
    case x509 = 1
    case openSSL = 2
    case pkcs8 = 3
    case wrappedPKCS8 = 4
    case pkcs7 = 5
    case pkcs12 = 6
    case pemSequence = 7
    case openSSH = 8
}

/// Writes certificates and keys into a file.
package struct WriteFile: CertificateTask {
    package static let kind = CertificateTaskKind.writeFile
    package let items: [CertificateItem]
    package let form: ExportForm
    package let isPEM: Bool
    /// Whether the file must be readable for programs that know 3DES and SHA-1 alone.
    package let isLegacy: Bool
    package let passphrase: SecretBytes?

    package init(
        _ items: [CertificateItem], as form: ExportForm, isPEM: Bool, isLegacy: Bool, passphrase: SecretBytes?
    ) {
        (self.items, self.form, self.isPEM, self.isLegacy) = (items, form, isPEM, isLegacy)
        self.passphrase = passphrase
    }

    package init(reading reader: inout WireReader) throws(Refusal) {
        items = try reader.certificateItems()
        guard let form = ExportForm(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("a form") }
        self.form = form
        (isPEM, isLegacy) = (try reader.flag(), try reader.flag())
        passphrase = try reader.passphrase()
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(items: items)
        buffer.append(form.rawValue)
        buffer.append(flag: isPEM)
        buffer.append(flag: isLegacy)
        buffer.append(passphrase: passphrase)
    }

    /// The file.
    package struct Answer: CertificateAnswer {
        package let file: SecretBytes

        package init(_ file: SecretBytes) { self.file = file }

        package init(reading reader: inout WireReader) throws(Refusal) {
            file = try reader.secret(atMost: CertificateLimits.answerBytes)
        }

        package func append(to buffer: SecretBuffer) { buffer.append(secret: file) }
    }
}

/// Makes a key pair.
package struct MakeKeys: CertificateTask {
    package static let kind = CertificateTaskKind.makeKeys
    package let type: KeyType
    package let bits: Int

    package init(_ type: KeyType, bits: Int) { (self.type, self.bits) = (type, bits) }

    package init(reading reader: inout WireReader) throws(Refusal) {
        guard let type = KeyType(number: try reader.integer(UInt8.self)) else { throw .malformed("a key's type") }
        self.type = type
        bits = Int(try reader.integer(UInt16.self))
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(type.number)
        buffer.append(littleEndian: UInt16(truncatingIfNeeded: bits))
    }

    /// The private half, then the public one.
    package typealias Answer = ReadFile.Answer
}
