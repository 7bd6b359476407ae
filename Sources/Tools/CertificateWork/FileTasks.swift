import CertificateWire
import DER
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

extension ReadFile {
    /// The items of the file, each private key before its certificate.
    func answer() throws(Refusal) -> Answer {
        guard hasAllHeads else { throw ExternalFailure.unknownForm.refusal("file") }
        let file = try file.withSpan { (bytes) throws(Refusal) in
            do throws(ExternalFailure) { return try ExternalFile(bytes, passphrase: passphrase) } catch {
                throw error.refusal("file")
            }
        }
        guard file.items.count <= CertificateLimits.certificates else {
            throw ExternalFailure.tooMuchWork.refusal("file")
        }
        var items: [CertificateItem] = []
        for (item, name) in zip(file.items, file.names) {
            do throws(CryptoError) { items += try item.items(named: name) } catch { throw error.refusal("file") }
        }
        return Answer(items)
    }
}

extension ReadFile {
    /// Whether every line with five hyphens at its start is the first or last line of a PEM block that was read. RFC
    /// 7468 allows other text around the blocks. A block whose first line is damaged would pass for such text, and a
    /// part of the file would be imported.
    private var hasAllHeads: Bool {
        file.withSpan { bytes in
            guard let blocks = try? PEM.read(bytes), !blocks.isEmpty else { return true }
            return Self.marks(bytes) == 2 * blocks.count
        }
    }

    private static func marks(_ bytes: Span<UInt8>) -> Int {
        let hyphens = 5
        var (found, run, isAtStart) = (0, 0, true)
        for index in bytes.indices {
            run = bytes[index] == UInt8(ascii: "-") && isAtStart ? run + 1 : 0
            isAtStart = bytes[index] == UInt8(ascii: "\n") || run > 0
            if run == hyphens { found += 1 }
        }
        return found
    }
}

extension WriteFile {
    func answer() throws(Refusal) -> Answer {
        var writer = ExternalWriter(try externalItems())
        (writer.isPEM, writer.isLegacy, writer.passphrase) = (isPEM, isLegacy, passphrase)
        do throws(ExternalFailure) { return Answer(try writer.file(as: form.external)) } catch {
            throw error.refusal("items")
        }
    }

    /// The items, each private key with its certificate as an identity.
    private func externalItems() throws(Refusal) -> [ExternalItem] {
        var read: [(item: ExternalItem, hash: [UInt8])] = []
        for item in items { read.append((try item.external(), item.keyHash)) }
        var paired: [ExternalItem] = []
        var taken: Set<Int> = []
        for (item, hash) in read {
            guard case .privateKey(let key) = item else { continue }
            let own = read.indices.first { index in
                if case .certificate = read[index].item { read[index].hash == hash } else { false }
            }
            guard let own, case .certificate(let certificate) = read[own].item, taken.insert(own).inserted else {
                paired.append(item)
                continue
            }
            paired.append(.identity(key, certificate))
        }
        let others = read.indices.filter { index in
            if case .privateKey = read[index].item { return false }
            return !taken.contains(index)
        }
        return paired + others.map { read[$0].item }
    }
}

extension MakeKeys {
    func answer() throws(Refusal) -> Answer {
        do throws(CryptoError) {
            let key = try PrivateKey.generate(type, bits: bits)
            return Answer(
                [try CertificateItem(key, named: nil), try CertificateItem(key.publicKey, named: nil)])
        } catch { throw error.refusal("key") }
    }
}

extension ExportForm {
    fileprivate var external: ExternalForm? {
        switch self {
        case .usual: nil
        case .x509: .x509
        case .openSSL: .openSSL
        case .pkcs8: .pkcs8
        case .wrappedPKCS8: .wrappedPKCS8
        case .pkcs7: .pkcs7
        case .pkcs12: .pkcs12
        case .pemSequence: .pemSequence
        case .openSSH: .openSSH
        }
    }
}
