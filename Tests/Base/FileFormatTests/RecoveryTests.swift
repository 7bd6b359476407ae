import KeychainCrypto
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import FileFormat

@Suite("A recovery recipient of a protected file")
struct RecoveryTests {
    private let shelf: TestShelf
    private let fileKey = SecretBytes(Randomness.bytes(32))
    private let file = FileID()
    private let identity: RecoveryIdentity

    init() throws { (shelf, identity) = (try TestShelf(), try RecoveryIdentity()) }

    private func header(
        _ recipients: [RecoveryRecipient], of file: FileID? = nil, _ key: SecretBytes? = nil
    ) throws -> FileHeader {
        let (file, key) = (file ?? self.file, key ?? fileKey)
        return try FileHeader(
            protection: .complete, chunkExponent: 12, file: file,
            slots: [shelf.slot(key, file)] + recipients.map { try FileSlot.wrapping(key, of: file, for: $0) })
    }

    private func preamble(_ header: FileHeader, _ key: SecretBytes? = nil) throws -> FilePreamble {
        let copy = try FilePreamble.copy(header, FileKeys(fileKey: key ?? fileKey, file: header.file))
        return try FilePreamble(decoding: (copy + copy).span)
    }

    private func read(_ bytes: [UInt8]) throws -> FilePreamble { try FilePreamble(decoding: bytes.span) }

    private func recovered(_ preamble: FilePreamble, _ identity: RecoveryIdentity) throws -> FileHeader? {
        try preamble.authenticate { try? identity.fileKey(of: $0) }?.header
    }

    @Test("opens it by its identity, and its shelf opens it as before")
    func opening() throws {
        let others = try (0..<6).map { _ in try RecoveryIdentity() }
        let one = try header(others.map(\.recipient) + [identity.recipient])
        #expect(try recovered(preamble(one), identity) == one)
        #expect(try recovered(preamble(one), others[3]) == one)
        #expect(try preamble(one).authenticate(shelf.fileKey)?.header == one)
        #expect(try recovered(preamble(one), RecoveryIdentity()) == nil)
        #expect(try recovered(preamble(header([])), identity) == nil)
    }

    @Test("is no shelf: a header needs one all the same, and neither opens the other's slot")
    func kinds() throws {
        let slot = try FileSlot.wrapping(fileKey, of: file, for: identity.recipient)
        #expect(throws: FileError.invalidHeader) {
            try FileHeader(protection: .complete, file: file, slots: [slot])
        }
        #expect(try slot.fileKey(of: file, under: shelf.wrapKey) == nil)
        #expect(try slot.fileKey(of: file, with: identity.privateKey) == nil)
        // A shelf whose public key is the recipient's would be asked under another purpose.
        let renamed = FileSlot(kind: 2, shelf: slot.shelf, wrapped: slot.wrapped)
        #expect(try renamed.fileKey(of: file, with: identity.privateKey) == nil)
        let ofShelf = try FileSlot.wrapping(
            fileKey, of: file, shelf: identity.recipient.id, to: identity.privateKey.publicKey)
        let disguised = FileSlot(kind: 3, shelf: ofShelf.shelf, wrapped: ofShelf.wrapped)
        #expect(try disguised.fileKey(of: file, by: identity) == nil)
    }

    @Test("opens nothing by a slot that was changed, renamed, or taken from another file")
    func transplants() throws {
        let slot = try FileSlot.wrapping(fileKey, of: file, for: identity.recipient)
        #expect(try slot.fileKey(of: file, by: identity)?.isEqual(to: fileKey) == true)
        #expect(try slot.fileKey(of: FileID(), by: identity) == nil)
        for place in slot.wrapped.indices {
            var wrapped = slot.wrapped
            wrapped[place] ^= 1
            #expect(try FileSlot(kind: 3, shelf: slot.shelf, wrapped: wrapped).fileKey(of: file, by: identity) == nil)
        }
        // The slot opens in the other file if its header takes this file's id; but the code is of the other's key.
        let otherKey = SecretBytes(Randomness.bytes(32))
        let forged = try FileHeader(
            protection: .complete, file: file, slots: [shelf.slot(otherKey, file), slot])
        #expect(throws: FileError.damaged(at: 0)) { try recovered(preamble(forged, otherKey), identity) }
    }

    @Test("cannot be added, exchanged or removed without the file's key")
    func code() throws {
        let (one, stranger) = (try header([identity.recipient]), try RecoveryIdentity())
        let keys = try FileKeys(fileKey: fileKey, file: file)
        let code = try FilePreamble.copy(one, keys)[4064...]
        let strangers = try FileSlot.wrapping(SecretBytes(Randomness.bytes(32)), of: file, for: stranger.recipient)
        for slots in [[one.slots[0]], one.slots + [strangers], [one.slots[0], strangers], one.slots.reversed()] {
            let copy = try FileHeader(protection: .complete, chunkExponent: 12, file: file, slots: slots).encoded + code
            let changed = try FilePreamble(decoding: (copy + copy).span)
            #expect(throws: FileError.damaged(at: 0)) { try changed.authenticate(shelf.fileKey) }
            #expect((try? recovered(changed, identity)).flatMap { $0 } == nil)
        }
    }

    @Test("stays when another shelf wraps the key, and goes when others take its place")
    func rewriting() throws {
        let proven = try #require(try preamble(header([identity.recipient])).authenticate(shelf.fileKey))
        let moved = try read(FilePreamble.moved(proven, to: .none, shelf.slot(fileKey, file)))
        #expect(try recovered(moved, identity)?.protection == FileProtection.none)
        let other = try RecoveryIdentity()
        let slots = [try FileSlot.wrapping(fileKey, of: file, for: other.recipient)]
        let changed = try read(FilePreamble.recoverable(proven, by: slots))
        #expect(try recovered(changed, other)?.generation == 2)
        #expect(try recovered(changed, identity) == nil)
        let without = try read(FilePreamble.recoverable(proven, by: []))
        #expect(without.claims.map(\.slots.count) == [1])
        let many = try (0..<8).map { _ in try FileSlot.wrapping(fileKey, of: file, for: other.recipient) }
        #expect(throws: FileError.invalidHeader) { try FilePreamble.recoverable(proven, by: many) }
    }

    @Test("is not somebody whose key all the world shares")
    func lowOrder() throws {
        let zero = try #require(RecoveryRecipient([UInt8](repeating: 0, count: 32)))
        #expect(throws: FileError.library(.malformedKey)) { try FileSlot.wrapping(fileKey, of: file, for: zero) }
    }
}

@Suite("The texts of age's keys")
struct AgeTextTests {
    private func identity(_ text: String) throws -> RecoveryIdentity {
        let bytes = Array(text.utf8)
        return try RecoveryIdentity(text: bytes.span)
    }

    @Test("are read as they were written, and give the same recipient")
    func roundTrip() throws {
        for _ in 0..<20 {
            let made = try RecoveryIdentity()
            let text = try made.text()
            #expect(text.array.starts(with: "AGE-SECRET-KEY-1".utf8) && text.count == 74)
            let again = try identity(String(decoding: text.array, as: UTF8.self))
            #expect(again.recipient == made.recipient)
            #expect(made.recipient.text.utf8.count == 62)
            #expect(RecoveryRecipient(text: made.recipient.text) == made.recipient)
            #expect(RecoveryRecipient(text: made.recipient.text.uppercased()) == made.recipient)
        }
    }

    @Test("BIP 173: the published text has its bytes")
    func published() throws {
        let text = Array("abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw".utf8)
        let found = Bech32.decode(text.span, name: "abcdef")
        let bytes = try #require(found).array
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(digits == "00443214c74254b635cf84653a56d7c675be77df")
        let written = Bech32.encode(bytes.span, name: "abcdef").array
        #expect(written == text)
    }

    @Test("with any letter changed, exchanged, missing or of another size are refused")
    func damage() throws {
        let text = try RecoveryIdentity().recipient.text
        for place in text.indices {
            var changed = text
            changed.replaceSubrange(place...place, with: text[place] == "q" ? "p" : "q")
            #expect(RecoveryRecipient(text: changed) == nil, "\(changed)")
            changed = text
            changed.remove(at: place)
            #expect(RecoveryRecipient(text: changed) == nil)
        }
        for other in ["", "age", "age1", "age1qqqqqq", text + "q", " \(text)", "Age" + text.dropFirst(3), "agé1"] {
            #expect(RecoveryRecipient(text: other) == nil, "\(other)")
        }
        // The identity is no recipient, and the other way round.
        let secret = String(decoding: try RecoveryIdentity().text().array, as: UTF8.self)
        #expect(RecoveryRecipient(text: secret) == nil)
        #expect(throws: FileError.noIdentity) { try identity(text) }
        #expect(throws: FileError.noIdentity) { try identity(String(secret.dropLast())) }
    }
}
