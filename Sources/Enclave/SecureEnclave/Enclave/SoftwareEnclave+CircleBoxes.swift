package import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SyncFormat

/// Contents and bodies that travel between machines are sealed and opened here: a key serves once and stays.
extension SoftwareEnclave {
    package func sealContent(_ content: SecretBytes, header bytes: [UInt8]) throws(Refusal) -> [UInt8] {
        let (header, size) = try read(bytes)
        let record = try circleRecord()
        guard header.device == record.own.id, record.isIn else { throw .notOfThisMachine }
        guard content.count == size - CircleBox.overhead else { throw .malformedBatch }
        let key = try sealingKey(of: header, in: record)
        do throws(CryptoError) {
            return try CircleCipher.seal(content, .batch, under: key, salt: header.salt.bytes, place: bytes)
        } catch { throw .crypto(error) }
    }

    /// Kc of a generation that is good for new batches.
    private func sealingKey(of header: SyncHeader, in record: CircleRecord) throws(Refusal) -> SecretBytes {
        guard header.circle == record.circle else { throw .notOfThisMachine }
        let key = try commonKey(of: header.generation, in: record)
        guard record.membership.isEligible(header.generation) else { throw .retiredGeneration }
        return key
    }

    package func openContent(_ sealed: [UInt8], header bytes: [UInt8]) throws(Refusal) -> SecretBytes {
        let (header, size) = try read(bytes)
        let record = try circleRecord()
        guard header.circle == record.circle, sealed.count == size else { throw .malformedBatch }
        let key = try commonKey(of: header.generation, in: record)
        do throws(CryptoError) {
            return try CircleCipher.open(
                sealed.span, .batch, under: key, salt: header.salt.bytes, place: bytes)
        } catch { throw error.isDamage ? .malformedBatch : .crypto(error) }
    }

    private func read(_ header: [UInt8]) throws(Refusal) -> (header: SyncHeader, sealedSize: Int) {
        do { return try SyncHeader.sealing(header) } catch { throw .malformedBatch }
    }

    // MARK: - Records

    package func boxBody(_ body: SecretBytes, of place: BoxedRecord) throws(Refusal) -> SecretBytes {
        try requireOpen(.whenUnlocked)
        let record = try circleRecord()
        guard place.circle == record.circle, place.device == record.own.id, record.isIn else {
            throw .notOfThisMachine
        }
        let key = try unlockedKey(of: place, in: record)
        guard record.membership.isEligible(place.generation) else { throw .retiredGeneration }
        do throws(CryptoError) {
            let box = try CircleCipher.seal(
                body, .record, under: key, salt: place.salt.bytes, place: place.bytes)
            return SecretBytes(copying: box.span)
        } catch { throw .crypto(error) }
    }

    package func unboxBody(_ box: SecretBytes, of place: BoxedRecord) throws(Refusal) -> SecretBytes {
        try requireOpen(.whenUnlocked)
        let record = try circleRecord()
        guard place.circle == record.circle else { throw .malformedBatch }
        let key = try unlockedKey(of: place, in: record)
        do throws(CryptoError) {
            return try box.withSpan { (box) throws(CryptoError) in
                try CircleCipher.open(box, .record, under: key, salt: place.salt.bytes, place: place.bytes)
            }
        } catch { throw error.isDamage ? .malformedBatch : .crypto(error) }
    }

    private func unlockedKey(of place: BoxedRecord, in record: CircleRecord) throws(Refusal) -> SecretBytes {
        guard let held = record.held[place.generation] else { throw .noGenerationKeys }
        return try unlockedKey(of: place.generation, held, in: record)
    }

    package func recordID(itemClass: UInt8, primaryKey: SecretBytes) throws(Refusal) -> RecordID {
        let record = try circleRecord()
        guard !record.recordKey.isEmpty else { throw .noGenerationKeys }
        let key = try openPart(record.recordKey, .recordKey, of: record.own.id.bytes, in: record.circle)
        do throws(CryptoError) {
            let digest = try key.withSpan { (key) throws(CryptoError) in try KeyedDigest(key: key) }
            let number = [itemClass]
            try digest.update(number.span)
            try primaryKey.withSpan { (bytes) throws(CryptoError) in try digest.update(bytes) }
            let short = try digest.finishShort()
            return RecordID(short.span.array(0, RecordID.size))
        } catch { throw .crypto(error) }
    }
}

extension CryptoError {
    /// Whether what was to be opened is not what was sealed.
    fileprivate var isDamage: Bool { self == .authenticationFailed || self == .boxTooShort }
}
