import FileFormat
import KeychainCrypto
import LinuxSystem
import TestSupport
import Testing

@Suite("Damage to a sealed file")
struct SealedFileDamageTests {
    private static let content: [UInt8] = Array("the content".utf8)

    @Test("of any bit of its chunks is refused with the chunk's place, and nothing of the chunk comes out")
    func bits() throws {
        let file = try TestFile(Self.content)
        let header = try file.proven()
        for place in FilePreamble.size..<file.bytes.count {
            for bit in 0..<8 {
                var bytes = file.bytes
                bytes[place] ^= 1 << UInt8(bit)
                let content = SecretBuffer()
                let stream = SealedFileStream(header)
                try stream.read(bytes.span.extracting(FilePreamble.size...), into: content)
                #expect(throws: FileError.damaged(at: 8192)) { try stream.finish(into: content) }
                #expect(content.count == 0)
                #expect(throws: FileError.damaged(at: 8192)) { try seek(bytes, header) }
            }
        }
    }

    @Test("of any bit of one header leaves the content as it was; of both it is refused", arguments: [0, 4096])
    func headerBits(base: Int) throws {
        let file = try TestFile(Self.content)
        let used = 64 + 20 + 60
        // The part that is filled with zeros has one bit of each byte.
        let places = Array(0..<used) + Array(4064..<4096)
        let flips = places.flatMap { place in (0..<8).map { (place, $0) } } + (used..<4064).map { ($0, $0 % 8) }
        for (place, bit) in flips {
            var bytes = file.bytes
            bytes[base + place] ^= 1 << UInt8(bit)
            guard try file.content(of: bytes) == Self.content else {
                Issue.record("bit \(bit) of byte \(base + place) changes what is read")
                return
            }
            bytes[4096 - base + place] ^= 1 << UInt8(bit)
            guard failure(of: { () throws(FileError) in try file.content(of: bytes) }) != nil else {
                Issue.record("bit \(bit) of byte \(place) of both headers is not noticed")
                return
            }
        }
    }

    @Test("by a cut at any place is refused")
    func cuts() throws {
        let file = try TestFile(Randomness.bytes(2 * TestFile.chunk + 30))
        let borders = (0...2).map { FilePreamble.size + $0 * TestFile.sealedChunk }
        let near = ([8, 4096] + borders).flatMap { ($0 - 20)...($0 + 20) }
        let ends = Set(near + stride(from: 0, to: file.bytes.count, by: 97) + [file.bytes.count - 1])
        for end in ends.sorted() where end >= 0 && end < file.bytes.count {
            let error = failure { () throws(FileError) in try file.content(of: Array(file.bytes[..<end])) }
            #expect(error != nil, "cut off at \(end)")
            if end < 8 { #expect(error == .notProtected) }
        }
    }

    @Test("by a cut is told from another place than the end of the file where it can be")
    func placeOfCuts() throws {
        let file = try TestFile(Randomness.bytes(2 * TestFile.chunk + 30))
        let second = FilePreamble.size + TestFile.sealedChunk
        for (end, place) in [
            (8000, 8000), (8192, 8192), (second, second), (second + 15, second), (second + 50, second),
        ] {
            #expect(throws: FileError.damaged(at: UInt64(place))) {
                try file.content(of: Array(file.bytes[..<end]))
            }
        }
    }

    @Test("by bytes behind the end is refused", arguments: [1, 15, 16, 17, 4066, 4082, 4112, 9000])
    func lengthened(count: Int) throws {
        for size in [0, 30, TestFile.chunk] {
            let file = try TestFile(Randomness.bytes(size))
            for more in [[UInt8](repeating: 0, count: count), Randomness.bytes(count)] {
                #expect(throws: FileError.self) { try file.content(of: file.bytes + more) }
            }
            #expect(throws: FileError.self) { try file.content(of: file.bytes + file.bytes) }
        }
    }

    @Test("by chunks that are dropped, exchanged, repeated or added is refused")
    func arrangements() throws {
        let file = try TestFile(Randomness.bytes(3 * TestFile.chunk + 10))
        let chunks = (0..<4).map(file.chunk)
        #expect(try file.content(of: file.with(chunks)).count == 3 * TestFile.chunk + 10)
        let orders = [
            [1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2], [3], [], [1, 0, 2, 3], [0, 2, 1, 3], [3, 1, 2, 0],
            [0, 1, 3, 2],
            [0, 0, 1, 2, 3], [0, 1, 1, 2, 3], [0, 1, 2, 2, 3], [0, 1, 2, 3, 3], [0, 1, 2, 3, 0], [0, 0, 2, 3],
            [0, 1, 2, 0],
        ]
        for order in orders {
            #expect(throws: FileError.self, "\(order)") { try file.content(of: file.with(order.map { chunks[$0] })) }
        }
    }

    @Test("by an end that was put behind an earlier chunk is refused")
    func earlierEnd() throws {
        let (shelf, content) = (try TestShelf(), Randomness.bytes(2 * TestFile.chunk))
        let long = try TestFile(content, shelf)
        let short = try TestFile(Array(content.prefix(TestFile.chunk)), shelf)
        for last in [long.chunk(2), short.chunk(1), Array(long.chunk(1).prefix(16)), Array(long.chunk(1).suffix(16))] {
            #expect(throws: FileError.self) { try long.content(of: long.with([long.chunk(0), last])) }
        }
        // A full chunk of the middle cannot be the last one, whatever it lost.
        for size in [16, 17, 4096, 4111] {
            let part = Array(long.chunk(1).prefix(size))
            #expect(throws: FileError.self) { try long.content(of: long.with([long.chunk(0), part])) }
        }
    }

    @Test("by chunks of another file, or of another version of the same one, is refused")
    func otherFiles() throws {
        let (shelf, content) = (try TestShelf(), Randomness.bytes(2 * TestFile.chunk + 10))
        let (one, other) = (try TestFile(content, shelf), try TestFile(content, shelf))
        for index in 0..<3 {
            var chunks = (0..<3).map(one.chunk)
            chunks[index] = other.chunk(index)
            #expect(throws: FileError.damaged(at: UInt64(8192 + index * TestFile.sealedChunk))) {
                try one.content(of: one.with(chunks))
            }
        }
    }

    @Test("by a header, half of one or a slot of another file is refused")
    func otherHeaders() throws {
        let shelf = try TestShelf()
        let (one, other) = (try TestFile(Self.content, shelf), try TestFile(Self.content, shelf))
        let body = Array(one.bytes[FilePreamble.size...])
        func file(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] { first + second + body }
        let (own, foreign) = (Array(one.bytes[..<4096]), Array(other.bytes[..<4096]))
        #expect(throws: FileError.damaged(at: 8192)) { try one.content(of: file(foreign, foreign)) }
        // A whole header of another file wins only where it stands first: what it opens is not this content.
        #expect(throws: FileError.damaged(at: 8192)) { try one.content(of: file(foreign, own)) }
        #expect(try one.content(of: file(own, foreign)) == Self.content)
        var transplanted = own
        transplanted.replaceSubrange(64..<144, with: foreign[64..<144])
        #expect(throws: FileError.self) { try one.content(of: file(transplanted, transplanted)) }
        #expect(try one.content(of: file(transplanted, own)) == Self.content)
        // With the file id the slot opens; then the code does not fit.
        transplanted.replaceSubrange(48..<64, with: foreign[48..<64])
        #expect(throws: FileError.damaged(at: 0)) { try one.content(of: file(transplanted, transplanted)) }
    }

    @Test("of any kind, at random places, gives the content or nothing", arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let content = chance.bytes(2 * TestFile.chunk + 100)
        let file = try TestFile(content)
        var refused = 0
        for _ in 0..<100 {
            let bytes = chance.mutate(file.bytes)
            do throws(FileError) {
                let found = try file.content(of: bytes)
                #expect(found == content)
            } catch {
                refused += 1
                if case .library = error { Issue.record("\(error)") }
            }
        }
        #expect(refused > 20)
    }
}
