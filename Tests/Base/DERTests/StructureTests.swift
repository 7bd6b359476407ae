import DER
import LinuxSystem
import TestSupport
import Testing

@Suite("DER is read strictly (X.690)")
struct StructureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let error: DERError?
        init(_ description: String, _ bytes: [UInt8], _ error: DERError? = nil) {
            (testDescription, self.bytes, self.error) = (description, bytes, error)
        }
    }

    private static let values: [Case] = [
        Case("the integer 127", [2, 1, 0x7F]), Case("the integer 128", [2, 2, 0, 0x80]),
        Case("the integer -128", [2, 1, 0x80]), Case("the integer -129", [2, 2, 0xFF, 0x7F]),
        Case("an integer of no bytes", [2, 0], .badValue(offset: 0)),
        Case("an integer with a zero too many", [2, 2, 0, 0x7F], .badValue(offset: 0)),
        Case("a negative integer with a byte too many", [2, 2, 0xFF, 0x80], .badValue(offset: 0)),
        Case("true", [1, 1, 0xFF]), Case("false", [1, 1, 0]), Case("BER's true", [1, 1, 1], .badValue(offset: 0)),
        Case("a truth value of two bytes", [1, 2, 0, 0], .badValue(offset: 0)),
        Case("null", [5, 0]), Case("null with content", [5, 1, 0], .badValue(offset: 0)),
        Case("bits", [3, 2, 4, 0xF0]), Case("no bits", [3, 1, 0]),
        Case("a bit string of no bytes", [3, 0], .badValue(offset: 0)),
        Case("unused bits that are set", [3, 2, 4, 0xF8], .badValue(offset: 0)),
        Case("eight unused bits", [3, 2, 8, 0], .badValue(offset: 0)),
        Case("unused bits of nothing", [3, 1, 1], .badValue(offset: 0)),
        Case("an object identifier", [6, 3, 0x55, 4, 3]), Case("an empty one", [6, 0], .badValue(offset: 0)),
        Case("one that does not end", [6, 2, 0x55, 0x84], .badValue(offset: 0)),
        Case("one with a leading zero in an arc", [6, 3, 0x55, 0x80, 1], .badValue(offset: 0)),
    ]

    private static let forms: [Case] = [
        Case("a sequence", [0x30, 2, 5, 0]), Case("a sequence in a sequence", [0x30, 2, 0x30, 0]),
        Case("nothing", [], .truncated(offset: 0)), Case("a tag alone", [2], .truncated(offset: 1)),
        Case("content that is too short", [4, 2, 1], .truncated(offset: 0)),
        Case("an element longer than the one around it", [0x30, 2, 4, 1], .truncated(offset: 2)),
        Case("something behind it", [5, 0, 0], .trailingBytes(offset: 2)),
        Case("the indefinite form", [0x30, 0x80, 5, 0, 0, 0], .badLength(offset: 1)),
        Case("a long length that is short", [4, 0x81, 1, 7], .badLength(offset: 1)),
        Case(
            "a length with a leading zero", [4, 0x82, 0, 0x80] + Array(repeating: 0, count: 128),
            .badLength(offset: 1)),
        Case("a length of 128", [4, 0x81, 0x80] + Array(repeating: 0, count: 128)),
        Case("a length beyond everything", [4, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .truncated(offset: 0)),
        Case("a length of five bytes", [4, 0x85, 1, 0, 0, 0, 0], .badLength(offset: 1)),
        Case("a length of 127 bytes", [4, 0xFF], .badLength(offset: 1)),
        Case("a string in parts", [0x24, 3, 4, 1, 0], .badTag(offset: 0)),
        Case("a sequence without parts", [0x10, 0], .badTag(offset: 0)),
        Case("the end of contents", [0, 0], .badTag(offset: 0)),
        Case("a long tag", [0x9F, 0x1F, 0]), Case("a longer tag", [0x9F, 0x81, 0, 0]),
        Case("a long tag that is short", [0x9F, 0x1E, 0], .badTag(offset: 1)),
        Case("a long tag with a leading zero", [0x9F, 0x80, 0x1F, 0], .badTag(offset: 1)),
        Case("an endless tag", [0x9F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0], .badTag(offset: 1)),
    ]

    @Test("Values and forms that DER has are read, all others are refused", arguments: values + forms)
    func strict(test: Case) {
        let error = failure { () throws(DERError) in try DERElement(parsing: test.bytes.span) }
        #expect(error == test.error)
    }

    @Test(
        "More levels, bytes or elements than the limits allow are refused", .rule("certificates.object.limits"),
        arguments: [31, 32, 33, 2000, 100_000])
    func depth(levels: Int) {
        var bytes: [UInt8] = [0x30, 0]
        for _ in 1..<levels where bytes.count < 1 << 20 {
            var writer = DERWriter()
            writer.element(.sequence, bytes)
            bytes = writer.bytes
            if bytes.count > 4096 { break }
        }
        let error = failure { () throws(DERError) in try DERElement(parsing: bytes.span) }
        #expect(error == (levels <= 32 ? nil : .tooLarge))
    }

    @Test("The limits are exact")
    func limits() {
        let three: [UInt8] = [0x30, 4, 5, 0, 5, 0]
        func error(_ bytes: Int, _ depth: Int, _ elements: Int) -> DERError? {
            let limits = DERLimits(bytes: bytes, depth: depth, elements: elements)
            return failure { () throws(DERError) in try DERElement(parsing: three.span, limits: limits) }
        }
        #expect(error(6, 2, 3) == nil)
        #expect(error(5, 2, 3) == .tooLarge)
        #expect(error(6, 1, 3) == .tooLarge)
        #expect(error(6, 2, 2) == .tooLarge)
    }

    @Test("Elements are taken in order, and what is missing, left over or of another kind is refused")
    func sequence() throws {
        let bytes: [UInt8] = [0x30, 7, 2, 1, 5, 0xA0, 2, 5, 0]
        let element = try DERElement(parsing: bytes.span)
        var parts = try element.children(of: .sequence)
        #expect(parts.optional(.null) == nil)
        #expect(failure { () throws(DERError) in try parts.finish() } == .unexpected(offset: 2))
        let number = try parts.next(.integer).smallInteger(in: bytes.span)
        #expect(number == 5)
        #expect(parts.optional(.explicit(0))?.children.first?.tag == .null)
        #expect(parts.isAtEnd)
        try parts.finish()
        #expect(failure { () throws(DERError) in _ = try parts.next() } == .unexpected(offset: 9))
        #expect(failure { () throws(DERError) in _ = try element.children(of: .set) } == .unexpected(offset: 0))
    }
}

@Suite("Hostile DER ends in an error and nothing else")
struct HostileTests {
    @Test("10,000 altered certificates are read or refused, whatever was done to them")
    func mutations() throws {
        var generator = SplitMix64(seed: 0x0DE5)
        let originals = try ["server", "root", "mail", "key-rsa", "name-bmp"].map {
            try CertificateFixtures.bytes("\($0).der")
        }
        var refused = 0
        for round in 0..<10_000 {
            let bytes = generator.mutate(originals[round % originals.count])
            if let element = try? DERElement(parsing: bytes.span) {
                #expect(element.encoding == 0..<bytes.count)
                visit(element, bytes.span)
            } else {
                refused += 1
            }
        }
        #expect(refused > 1000 && refused < 10_000)
    }

    @Test("10,000 runs of random bytes are read or refused")
    func noise() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<10_000 {
            let bytes = generator.bytes(Int.random(in: 0..<64, using: &generator))
            if let element = try? DERElement(parsing: bytes.span) { visit(element, bytes.span) }
        }
    }

    @Test("10,000 altered PEM texts are read or refused")
    func texts() throws {
        var generator = SplitMix64(seed: 9)
        let certificate = try CertificateFixtures.bytes("server.der")
        let original = Array(PEM.text(label: "CERTIFICATE", certificate.span).utf8)
        for _ in 0..<10_000 {
            let text = generator.mutate(original)
            _ = try? PEM.read(text.span)
        }
    }

    /// Checks that every element lies within the one around it, and that every value can be read, also from bytes that
    /// it was not parsed from.
    private func visit(_ element: DERElement, _ bytes: Span<UInt8>) {
        _ = element.text(in: bytes)
        _ = try? element.time(in: bytes)
        _ = try? element.smallInteger(in: bytes)
        _ = try? element.objectIdentifier(in: bytes)
        _ = try? element.wholeBytes(in: bytes)
        _ = try? element.contentBytes(in: Span())
        for child in element.children {
            #expect(
                element.content.contains(child.encoding.lowerBound)
                    && child.encoding.upperBound <= element.content.upperBound)
            visit(child, bytes)
        }
    }
}
