import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import CodeSignature

@Suite("Files that somebody has made to deceive the reader")
struct HostileFileTests {
    private let team: Team
    private let signed: [UInt8]
    private let altered: AlteredFile

    init() throws {
        team = try Team()
        signed = try team.sign(Executables.bytes(), groups: ["$(AppIdentifierPrefix)shared"])
        altered = try AlteredFile(signed)
    }

    private static let malformed = Refusal.Rule.malformedCode.rawValue

    @Test(
        "every byte that is covered, and every byte of the note, is missed when it is another",
        .rule("access-groups.team.content"))
    func everyByte() throws {
        for target in ["x86_64-linux-gnu", "powerpc-linux-gnu"] {
            let signed = try team.sign(Executables.bytes(for: target), groups: ["$(AppIdentifierPrefix)shared"])
            let altered = try AlteredFile(signed)
            for index in signed.indices {
                var changed = signed
                changed[index] ^= 1 << UInt8(index % 8)
                guard altered.covers(index) else { continue }
                #expect((try? read(changed)) == nil, "byte \(index)")
            }
        }
    }

    @Test("Of 10,000 random alterations none crashes the reader, and none that touches what is covered is believed")
    func mutations() throws {
        var (random, believed) = (SplitMix64(seed: 19), 0)
        for _ in 0..<10_000 {
            let changed = random.mutate(signed)
            guard let signature = try? read(changed) else { continue }
            believed += 1
            #expect(signature.team == team.id)
            #expect(
                altered.covered.allSatisfy { range in
                    range.upperBound <= changed.count
                        && range.allSatisfy { changed[$0] == signed[$0] || !altered.covers($0) }
                })
        }
        // No signature covers symbols and the names of sections.
        #expect(believed > 100)
    }

    @Test("Two signatures are refused, whichever of them is good")
    func twoSections() throws {
        let twice = altered.withSections { $0.append($0[altered.signature]) }
        #expect(try refusal(twice) == Self.malformed)
        let other = altered.withSections { rows in
            rows.append(rows[altered.signature])
            rows[altered.signature].size = 4
        }
        #expect(try refusal(other) == Self.malformed)
        // This is one section with two notes in it.
        let note = altered.sections[altered.signature]
        let content = signed[Int(note.offset)..<Int(note.offset + note.size)]
        var doubled = try AlteredFile(signed + content + content)
        doubled.sections[doubled.signature].offset = UInt64(signed.count)
        doubled.sections[doubled.signature].size = 2 * note.size
        #expect(try refusal(doubled.withSections { _ in }) == Self.malformed)
    }

    @Test("A signature that is cut off, too long or outside of the file is refused")
    func extents() throws {
        let note = altered.sections[altered.signature]
        for size in [0, 3, 24, note.size - 4, note.size - 1, note.size + 4, 1 << 40, UInt64.max] {
            let changed = altered.withSections { $0[altered.signature].size = size }
            #expect(try refusal(changed) == Self.malformed, "size \(size)")
        }
        for offset in [UInt64(signed.count) * 2, UInt64.max, UInt64.max - note.size + 1, 1 << 63] {
            let changed = altered.withSections { $0[altered.signature].offset = offset }
            #expect(try refusal(changed) == Self.malformed, "offset \(offset)")
        }
    }

    @Test("A name that ends behind the section of names is no signature's, before and after the file is rewritten")
    func cutName() throws {
        var cut = try AlteredFile(signed)
        let names = cut.sections[cut.header.nameSection]
        cut.sections[cut.header.nameSection].size -= 1
        #expect(try read(cut.withSections { _ in }) == nil)
        var bytes = cut.withSections { _ in }
        bytes[Int(names.offset + names.size) - 1] = 1
        #expect(try read(bytes) == nil)
        #expect(try read(CodeSigning.removeSignature(from: bytes)) == nil)
        #expect(try read(team.sign(bytes))?.team == team.id)
    }

    @Test("A section table outside of the file, or one that is too long, is none: the file is not signed")
    func sectionTable() throws {
        for offset in [0, UInt64(signed.count), UInt64(signed.count) - 10, 1 << 62, UInt64.max] {
            #expect(try read(altered.withHeader(ELFHeader.sectionOffset, offset, size: 8)) == nil)
        }
        #expect(try read(altered.withHeader(ELFHeader.sectionCount, 0xFFFF, size: 2)) == nil)
        #expect(try read(altered.withHeader(ELFHeader.sectionCount, 0, size: 2)) == nil)
        #expect(try read(altered.withHeader(ELFHeader.sectionEntrySize, 8, size: 2)) == nil)
        #expect(try read(altered.withHeader(ELFHeader.nameSection, 0xFFFF, size: 2)) == nil)
        for cut in [1, 64, 1000] { #expect(try read(Array(signed.dropLast(cut))) == nil) }
    }

    @Test("Program headers outside of the file, or more than the kernel reads, are refused")
    func segmentTable() throws {
        let (count, size) = (ELFPlace(44, 56), ELFPlace(42, 54))
        for value in [0, 0xFFFF, 1171] {
            #expect(try refusal(altered.withHeader(count, UInt64(value), size: 2)) == Self.malformed)
        }
        #expect(try refusal(altered.withHeader(size, 32, size: 2)) == Self.malformed)
        for offset in [UInt64(signed.count), UInt64.max, UInt64.max - 100] {
            #expect(try refusal(altered.withHeader(ELFHeader.segmentOffset, offset, size: 8)) == Self.malformed)
        }
    }

    @Test("A segment that is larger than the file is refused, when signing too")
    func segmentOutside() throws {
        for value in [UInt64(signed.count) + 1, 1 << 40, UInt64.max] {
            #expect(try refusal(altered.withSegment(1, AlteredFile.fileSize, value)) == Self.malformed)
            #expect(try refusal(altered.withSegment(1, AlteredFile.offset, value)) == Self.malformed)
            let unsigned = try AlteredFile(Executables.bytes()).withSegment(1, AlteredFile.fileSize, value)
            #expect(throws: Refusal.self) { try team.sign(unsigned) }
        }
    }

    @Test("Segments that lie over each other or are empty are signed as they are; one that is loaded there must be")
    func oddSegments() throws {
        let plain = try AlteredFile(Executables.bytes())
        let loads = plain.segments.indices.filter { plain.segments[$0].type == ELFSegment.load }
        let over = try team.sign(plain.withSegment(loads[1], AlteredFile.offset, plain.segments[loads[0]].offset))
        #expect(try read(over) != nil)
        var changed = over
        changed[Int(plain.segments[loads[0]].offset) + 200] ^= 1
        #expect(try refusal(changed) == Refusal.Rule.changedCode.rawValue)
        let empty = try team.sign(plain.withSegment(loads[1], AlteredFile.fileSize, 0))
        #expect(try read(empty) != nil)
        var none = plain
        for load in loads {
            var bytes = none.bytes
            let row = Int(none.header.segmentOffset) + load * none.header.format.segmentSize
            none.header.format.write(UInt32(4), into: &bytes, at: row)
            none = try AlteredFile(bytes)
        }
        #expect(throws: Refusal.self) { try team.sign(none.bytes) }
    }

    @Test("An interpreter outside of what is loaded is covered too, for the kernel reads it")
    func interpreter() throws {
        // An empty segment becomes PT_INTERP over bytes behind everything that is loaded.
        let plain = try AlteredFile(Executables.bytes())
        let stack = try #require(plain.segments.lastIndex { $0.size == 0 && $0.type != ELFSegment.load })
        let path = Array("/lib64/ld-linux-x86-64.so.2\0".utf8)
        var bytes = plain.bytes + path
        let row = Int(plain.header.segmentOffset) + stack * plain.header.format.segmentSize
        plain.header.format.write(UInt32(3), into: &bytes, at: row)
        plain.header.format.write(UInt64(plain.bytes.count), into: &bytes, at: row + 8)
        plain.header.format.write(UInt64(path.count), into: &bytes, at: row + 32)
        var signed = try team.sign(bytes)
        #expect(try read(signed) != nil)
        signed[plain.bytes.count + 3] = UInt8(ascii: "X")
        #expect(try refusal(signed) == Refusal.Rule.changedCode.rawValue)
    }

    @Test("A segment of more than 4 GiB is refused before any of it is read")
    func tooLarge() throws {
        let file = try file(altered.withSegment(1, AlteredFile.fileSize, 5 << 30))
        try file.resize(to: 6 << 30)
        #expect(failure { () throws(Refusal) in try CodeSignature.read(from: file) }?.rule == .tooLargeCode)
    }
}
