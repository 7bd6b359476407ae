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

    package func boxBodies(_ bodies: [SecretBytes], of places: [BoxedRecord]) throws(Refusal) -> [SecretBytes] {
        try boxBodies(bodies, of: places, as: .record)
    }

    /// - Parameter purpose: what nobody takes for anything else.
    func boxBodies(
        _ bodies: [SecretBytes], of places: [BoxedRecord], as purpose: CircleCipher.Purpose
    ) throws(Refusal) -> [SecretBytes] {
        try requireOpen(.whenUnlocked)
        let record = try circleRecord()
        var (keys, boxes) = (UnlockedKeys(record), [SecretBytes]())
        for (body, place) in zip(bodies, places) {
            guard place.circle == record.circle, place.device == record.own.id, record.isIn else {
                throw .notOfThisMachine
            }
            let key = try key(of: place, &keys)
            guard record.membership.isEligible(place.generation) else { throw .retiredGeneration }
            do throws(CryptoError) {
                let box = try CircleCipher.seal(
                    body, purpose, under: key, salt: place.salt.bytes, place: place.bytes)
                boxes.append(SecretBytes(copying: box.span))
            } catch { throw .crypto(error) }
        }
        return boxes
    }

    package func unboxBodies(_ boxes: [SecretBytes], of places: [BoxedRecord]) throws(Refusal) -> [SecretBytes?] {
        try unboxBodies(boxes, of: places, as: .record)
    }

    func unboxBodies(
        _ boxes: [SecretBytes], of places: [BoxedRecord], as purpose: CircleCipher.Purpose
    ) throws(Refusal) -> [SecretBytes?] {
        try requireOpen(.whenUnlocked)
        let record = try circleRecord()
        var (keys, bodies) = (UnlockedKeys(record), [SecretBytes?]())
        for (box, place) in zip(boxes, places) {
            let isHere = place.circle == record.circle
            bodies.append(isHere ? try open(box, place, as: purpose, under: try key(of: place, &keys)) : nil)
        }
        return bodies
    }

    /// - Returns: nil when it is not what was put in at this place.
    private func open(
        _ box: SecretBytes, _ place: BoxedRecord, as purpose: CircleCipher.Purpose, under key: SecretBytes
    ) throws(Refusal) -> SecretBytes? {
        do throws(CryptoError) {
            return try box.withSpan { (box) throws(CryptoError) in
                try CircleCipher.open(box, purpose, under: key, salt: place.salt.bytes, place: place.bytes)
            }
        } catch {
            guard error.isDamage else { throw .crypto(error) }
            return nil
        }
    }

    /// The keys of generations that a call has opened.
    private struct UnlockedKeys {
        let record: CircleRecord
        var opened: [GenerationID: SecretBytes] = [:]

        init(_ record: CircleRecord) { self.record = record }
    }

    private func key(of place: BoxedRecord, _ keys: inout UnlockedKeys) throws(Refusal) -> SecretBytes {
        if let key = keys.opened[place.generation] { return key }
        guard let held = keys.record.held[place.generation] else { throw .noGenerationKeys }
        let key = try unlockedKey(of: place.generation, held, in: keys.record)
        keys.opened[place.generation] = key
        return key
    }

    package func recordIDs(_ names: [RecordNaming]) throws(Refusal) -> [RecordID] {
        let record = try circleRecord()
        guard !record.recordKey.isEmpty else { throw .noGenerationKeys }
        let key = try openPart(record.recordKey, .recordKey, of: record.own.id.bytes, in: record.circle)
        var identifiers: [RecordID] = []
        do throws(CryptoError) {
            for name in names { identifiers.append(try Self.identifier(of: name, under: key)) }
        } catch { throw .crypto(error) }
        return identifiers
    }

    private static func identifier(
        of name: RecordNaming, under key: SecretBytes
    ) throws(CryptoError) -> RecordID {
        let digest = try key.withSpan { (key) throws(CryptoError) in try KeyedDigest(key: key) }
        let number = [name.itemClass]
        try digest.update(number.span)
        try name.primaryKey.withSpan { (bytes) throws(CryptoError) in try digest.update(bytes) }
        let short = try digest.finishShort()
        return RecordID(short.span.array(0, RecordID.size))
    }
}

extension CryptoError {
    /// Whether what was to be opened is not what was sealed.
    fileprivate var isDamage: Bool { self == .authenticationFailed || self == .boxTooShort }
}
