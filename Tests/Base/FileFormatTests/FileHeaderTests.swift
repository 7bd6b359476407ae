import KeychainCrypto
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import FileFormat

@Suite("The header of a protected file")
struct FileHeaderTests {
    private let shelf: TestShelf
    private let fileKey = SecretBytes(Randomness.bytes(32))
    private let file = FileID()

    init() throws { shelf = try TestShelf() }

    private func header(
        _ protection: FileProtection = .complete, exponent: UInt8 = 16, generation: UInt64 = 1,
        slots: [FileSlot]? = nil
    ) throws -> FileHeader {
        try FileHeader(
            protection: protection, chunkExponent: exponent, generation: generation, file: file,
            slots: slots ?? [shelf.slot(fileKey, file, protection)])
    }

    private func preamble(_ first: FileHeader, _ second: FileHeader) throws -> FilePreamble {
        let keys = try FileKeys(fileKey: fileKey, file: file)
        let bytes = try FilePreamble.copy(first, keys) + FilePreamble.copy(second, keys)
        return try FilePreamble(decoding: bytes.span)
    }

    @Test("is read as it was written, for each class and size of chunks")
    func roundTrip() throws {
        for protection in FileProtection.allCases {
            for exponent in FileHeader.chunkExponents {
                let one = try header(protection, exponent: exponent, generation: .max)
                let read = try preamble(one, one)
                #expect(read.claims == [one])
                #expect(try read.authenticate(shelf.fileKey)?.header == one)
            }
        }
    }

    @Test("has room for eight slots, also of kinds that are not known, and no more")
    func slots() throws {
        let own = try shelf.slot(fileKey, file)
        func other(_ size: Int, kind: UInt8 = 9) -> FileSlot {
            FileSlot(kind: kind, shelf: ShelfID(), wrapped: Randomness.bytes(size))
        }
        let room = FileSlot.room - own.size
        for slots in [
            [own] + (0..<7).map { other($0 * 10) }, [other(0), own], [own, other(room - FileSlot.headSize)],
            [own, other(80, kind: 3)],
        ] {
            let one = try header(slots: slots)
            let read = try preamble(one, one)
            #expect(read.claims == [one])
            #expect(one.shelfSlot == own)
        }
        for slots in [
            [], [other(10)], [own, own], [own] + (0..<8).map { other($0) }, [own, other(room - FileSlot.headSize + 1)],
            [own, other(60, kind: 0)], [own, try shelf.slot(fileKey, file, .completeUnlessOpen)],
            [other(59, kind: 1)], [other(81, kind: 2)],
        ] {
            #expect(throws: FileError.invalidHeader) { try header(slots: slots) }
        }
    }

    @Test("has the shelf's secret slot in each class but one, and its public one there")
    func kindsAndClasses() throws {
        for protection in FileProtection.allCases {
            let wrong: FileProtection = protection == .completeUnlessOpen ? .complete : .completeUnlessOpen
            #expect(throws: FileError.invalidHeader) {
                try header(protection, slots: [shelf.slot(fileKey, file, wrong)])
            }
        }
        for exponent in [0, 11, 21, 255] as [UInt8] {
            #expect(throws: FileError.invalidHeader) { try header(exponent: exponent) }
        }
    }

    @Test("that counts is the authentic one of the greater generation, wherever it stands")
    func generations() throws {
        let (old, new) = (try header(.complete, generation: 6), try header(.none, generation: 7))
        #expect(try preamble(old, new).authenticate(shelf.fileKey)?.header == new)
        #expect(try preamble(new, old).authenticate(shelf.fileKey)?.header == new)
        #expect(try preamble(new, old).claims == [new, old])
        // The newer one is of a shelf that is not there: the older one still opens.
        let foreign = try header(.none, generation: 8, slots: [TestShelf().slot(fileKey, file)])
        #expect(try preamble(foreign, old).authenticate(shelf.fileKey)?.header == old)
    }

    @Test("is not authentic under another key, and without a key nothing is")
    func otherKeys() throws {
        let one = try header()
        let read = try preamble(one, one)
        #expect(throws: FileError.damaged(at: 0)) { try read.authenticate { _ in SecretBytes(Randomness.bytes(32)) } }
        #expect(try read.authenticate { _ in nil } == nil)
        #expect(throws: FileError.library(.invalidParameter)) {
            try read.authenticate { _ in SecretBytes(Randomness.bytes(31)) }
        }
    }

    @Test("of another version, kind or suite is named as such, if no other copy can be read")
    func otherReleases() throws {
        let keys = try FileKeys(fileKey: fileKey, file: file)
        let copy = try FilePreamble.copy(header(), keys)
        for (place, field, value) in [(8, FileError.Field.version, 2), (10, .kind, 2), (11, .suite, 9)] {
            var other = copy
            other[place] = UInt8(value)
            #expect(throws: FileError.unsupported(field, UInt16(value))) {
                try FilePreamble(decoding: (other + other).span)
            }
            #expect(throws: FileError.unsupported(field, UInt16(value))) {
                try FilePreamble(decoding: ([UInt8](repeating: 0, count: 4096) + other).span)
            }
            #expect(try FilePreamble(decoding: (other + copy).span).claims.count == 1)
        }
    }

    @Test("that is not there is told from one that is damaged")
    func magic() throws {
        for bytes in [[], Array("plain".utf8), [UInt8](repeating: 0, count: 8192), Randomness.bytes(10_000)] {
            #expect(throws: FileError.notProtected) { try FilePreamble(decoding: bytes.span) }
        }
        let magic = FileHeader.magic
        #expect(throws: FileError.damaged(at: 8)) { try FilePreamble(decoding: magic.span) }
        let magicAlone = magic + [UInt8](repeating: 0, count: 8184)
        #expect(throws: FileError.unsupported(.version, 0)) { try FilePreamble(decoding: magicAlone.span) }
    }

    @Test("with fields that no release writes is damaged, at their place, though its code is right")
    func fields() throws {
        let keys = try FileKeys(fileKey: fileKey, file: file)
        let copy = try header().encoded
        let changes: [(Int, UInt8, UInt64)] = [
            (12, 11, 12), (12, 21, 12), (13, 0, 12), (13, 5, 12), (13, 2, 12), (14, 0, 14), (14, 9, 14), (15, 1, 14),
            (24, 0, 24), (39, 0, 24), (40, 1, 24), (64, 0, 64), (65, 1, 64), (66, 61, 64), (67, 16, 64), (144, 1, 144),
            (4063, 1, 4063),
        ]
        for (place, value, reported) in changes {
            var other = copy
            other[place] = value
            let code = try keys.header.withSpan { key in
                try KeyedDigest(key: key).digest(other.span).span.array(0, 32)
            }
            #expect(throws: FileError.damaged(at: reported), "byte \(place)") {
                try FilePreamble(decoding: (other + code + other + code).span)
            }
        }
    }
}

@Suite("The slot of a shelf")
struct FileSlotTests {
    private let fileKey = SecretBytes(Randomness.bytes(32))
    private let file = FileID()

    @Test("gives the file key to its own shelf, for its own file", arguments: [false, true])
    func opening(isPublic: Bool) throws {
        let (shelf, other) = (try TestShelf(), try TestShelf())
        let slot = try shelf.slot(fileKey, file, isPublic ? .completeUnlessOpen : .complete)
        func open(_ slot: FileSlot, _ file: FileID, _ shelf: TestShelf) throws -> SecretBytes? {
            isPublic
                ? try slot.fileKey(of: file, with: shelf.pair) : try slot.fileKey(of: file, under: shelf.wrapKey)
        }
        #expect(try open(slot, file, shelf)?.isEqual(to: fileKey) == true)
        #expect(try open(slot, file, other) == nil)
        #expect(try open(slot, FileID(), shelf) == nil)
        #expect(try open(FileSlot(kind: slot.kind, shelf: other.id, wrapped: slot.wrapped), file, shelf) == nil)
        for place in slot.wrapped.indices {
            var wrapped = slot.wrapped
            wrapped[place] ^= 0x10
            #expect(try open(FileSlot(kind: slot.kind, shelf: shelf.id, wrapped: wrapped), file, shelf) == nil)
        }
    }

    @Test("of one kind is not opened as the other")
    func kinds() throws {
        let shelf = try TestShelf()
        let (secret, open) = (try shelf.slot(fileKey, file), try shelf.slot(fileKey, file, .completeUnlessOpen))
        #expect(try secret.fileKey(of: file, with: shelf.pair) == nil)
        #expect(try open.fileKey(of: file, under: shelf.wrapKey) == nil)
        let renamed = FileSlot(kind: secret.kind, shelf: shelf.id, wrapped: open.wrapped)
        #expect(try renamed.fileKey(of: file, under: shelf.wrapKey) == nil)
    }

    @Test("is not made to a key that anybody shares")
    func lowOrder() throws {
        let zero = try PublicKey(external: [UInt8](repeating: 0, count: 32).span, type: .x25519)
        #expect(throws: FileError.library(.malformedKey)) {
            try FileSlot.wrapping(fileKey, of: file, shelf: ShelfID(), to: zero)
        }
    }
}

@Suite("The layout of a sealed file")
struct SealedLayoutTests {
    @Test("follows from the size alone, up to the largest")
    func sizes() throws {
        let file = try TestFile([])
        for chunks in [0, 1, 5, 1000] as [UInt64] {
            for rest in [0, 1, 4095] as [UInt64] {
                let size = 8192 + chunks * 4112 + 16 + rest
                let layout = try SealedLayout(size: size, file.header)
                #expect(layout.chunks == chunks + 1 && layout.length == chunks * 4096 + rest)
                #expect(layout.place(of: chunks) == size - 16 - rest..<size)
                if chunks > 0 { #expect(layout.place(of: chunks - 1).upperBound == size - 16 - rest) }
            }
            for rest in UInt64(0)..<16 {
                #expect(throws: FileError.damaged(at: 8192 + chunks * 4112)) {
                    try SealedLayout(size: 8192 + chunks * 4112 + rest, file.header)
                }
            }
        }
        let most = SealedLayout.mostBytes / 4096 * 4112 + 8192 + 16
        #expect(try SealedLayout(size: most, file.header).length == SealedLayout.mostBytes)
        for size in [most + 1, .max, 1 << 62] {
            #expect(throws: FileError.tooLarge) { try SealedLayout(size: size, file.header) }
        }
    }
}
