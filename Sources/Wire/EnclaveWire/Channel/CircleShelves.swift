import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// Shelves in one call of the enclave, as ``CircleLists`` has other records. A seal of this machine has another size
/// than the keys in the clear, so that answers have their lengths, and zeros behind them.
///
///     answers = *(length:u32 bytes) zeros                           ; length 0 for what is no such box
enum CircleShelves {
    /// No answer is longer by more: a seal, and what makes bodies multiples of 32 bytes.
    private static let growth = 4 + 128

    /// The room for the answers to so many bytes.
    static func room(_ bodies: [SecretBytes]) -> Int { bodies.reduce(0) { $0 + $1.count + growth } }

    static func write(_ answers: [SecretBytes?], room: Int) -> SecretBytes {
        let buffer = SecretBuffer(capacity: room)
        for answer in answers {
            buffer.append(littleEndian: UInt32(truncatingIfNeeded: answer?.count ?? 0))
            answer?.withSpan { buffer.append($0) }
        }
        buffer.append(count: max(0, room - buffer.count)) { _ in }
        return buffer.finish()
    }

    static func read(_ answers: SecretBytes, _ count: Int) throws(Refusal) -> [SecretBytes?] {
        var (reader, found) = (WireReader(answers), [SecretBytes?]())
        for _ in 0..<count {
            let answer = try reader.secret(atMost: SyncLimits.sealedBytes)
            found.append(answer.count == 0 ? nil : answer)
        }
        return found
    }

    static func write(shelves: [Shelf]) -> SecretBytes {
        let buffer = SecretBuffer(capacity: 512 * shelves.count)
        for shelf in shelves { shelf.append(to: buffer) }
        return buffer.finish()
    }

    static func read(shelves list: SecretBytes, atMost most: Int) throws(Refusal) -> [Shelf] {
        var (reader, shelves) = (WireReader(list), [Shelf]())
        repeat { shelves.append(try Shelf(from: &reader)) } while !reader.isAtEnd && shelves.count < most
        guard reader.isAtEnd else { throw .malformed("the number of shelves") }
        return shelves
    }

    static let noCommitment = [UInt8](repeating: 0, count: SyncShelf.commitmentSize)

    static func write(commitments: [[UInt8]?]) -> SecretBytes {
        let buffer = SecretBuffer(capacity: SyncShelf.commitmentSize * commitments.count)
        for one in commitments {
            let bytes = one ?? noCommitment
            buffer.append(bytes.span)
        }
        return buffer.finish()
    }

    static func read(commitments answer: SecretBytes, _ count: Int) throws(Refusal) -> [[UInt8]?] {
        var (reader, found) = (WireReader(answer), [[UInt8]?]())
        for _ in 0..<count {
            let one = try reader.array(SyncShelf.commitmentSize)
            found.append(one == noCommitment ? nil : one)
        }
        return found
    }
}
