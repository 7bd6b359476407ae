import DER
import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite("Values of DER elements")
struct ValueTests {
    struct Time: Sendable, CustomTestStringConvertible {
        let text: String
        let seconds: Double?
        var testDescription: String { text }
        init(_ text: String, _ seconds: Double?) { (self.text, self.seconds) = (text, seconds) }
    }

    // The seconds are those of `date -u -d … +%s`, less 978307200.
    private static let times = [
        Time("010101000000Z", 0), Time("010101000001Z", 1), Time("000229120000Z", -26_481_600),
        Time("491231235959Z", 1_546_300_799), Time("500101000000Z", -1_609_459_200),
        Time("700101000000Z", -978_307_200),
        Time("20500101000000Z", 1_546_300_800), Time("19000301000000Z", -3_182_198_400),
        Time("99991231235959Z", 252_423_993_599), Time("20240229000000Z", 730_857_600),
        Time("20230229000000Z", nil), Time("19000229000000Z", nil), Time("00000101000000Z", nil),
        Time("011301000000Z", nil), Time("010001000000Z", nil), Time("010100000000Z", nil), Time("010132000000Z", nil),
        Time("010101240000Z", nil), Time("010101006000Z", nil), Time("010101000060Z", nil), Time("0101010000Z", nil),
        Time("010101000000+0100", nil), Time("20240101000000.5Z", nil), Time("01010100000aZ", nil), Time("", nil),
        Time("20240101000000", nil),
    ]

    @Test("Times are those RFC 5280 allows, and days are those of the calendar", arguments: times)
    func time(test: Time) throws {
        var writer = DERWriter()
        writer.element(test.text.count < 15 ? .utcTime : .generalizedTime, Array(test.text.utf8))
        let bytes = writer.bytes
        let element = try DERElement(parsing: bytes.span)
        #expect((try? element.time(in: bytes.span)) == test.seconds)
    }

    @Test("Every day of 400 years is the day that Foundation's calendar says")
    func calendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        let first = try #require(calendar.date(from: DateComponents(year: 1900, month: 1, day: 1)))
        for day in 0..<146_097 {
            let date = first.addingTimeInterval(Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let text = String(format: "%04d%02d%02d000000Z", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            var writer = DERWriter()
            writer.element(.generalizedTime, Array(text.utf8))
            let bytes = writer.bytes
            let seconds = try DERElement(parsing: bytes.span).time(in: bytes.span)
            guard seconds == date.timeIntervalSinceReferenceDate else {
                Issue.record("\(text) is \(seconds)")
                return
            }
        }
    }

    @Test(
        "Integers are read up to what fits",
        arguments: [
            (0, [0]), (1, [1]), (127, [127]), (128, [0, 128]), (255, [0, 255]), (256, [1, 0]), (65_537, [1, 0, 1]),
            (Int.max, [127, 255, 255, 255, 255, 255, 255, 255]),
        ] as [(Int, [UInt8])])
    func integers(number: Int, content: [UInt8]) throws {
        var writer = DERWriter()
        writer.element(.integer, content)
        let bytes = writer.bytes
        let element = try DERElement(parsing: bytes.span)
        let found = try element.smallInteger(in: bytes.span)
        #expect(found == number)
    }

    @Test(
        "A number that does not fit, or is negative, is refused",
        arguments: [[2, 9, 0, 128, 0, 0, 0, 0, 0, 0, 0], [2, 1, 0xFF]])
    func largeIntegers(bytes: [UInt8]) throws {
        let element = try DERElement(parsing: bytes.span)
        #expect(failure { () throws(DERError) in try element.smallInteger(in: bytes.span) } == element.unexpected)
    }

    @Test(
        "Object identifiers are read from their dotted form",
        arguments: [
            ("2.5.4.3", [0x55, 4, 3]), ("1.2.840.113549.1.9.1", [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]),
            ("2.999", [0x88, 0x37]), ("0.9", [9]),
        ] as [(String, [UInt8])])
    func identifiers(dotted: String, content: [UInt8]) {
        #expect(DERObjectIdentifier(dotted: dotted)?.content == content)
    }

    @Test("Object identifiers are written from their arcs")
    func arcs() {
        #expect(
            DERObjectIdentifier(1, 2, 840, 113549)
                == DERObjectIdentifier(content: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D]))
    }

    @Test(
        "Strings of every type are text, and bytes that are not what the type says are none",
        arguments: [
            (DERTag.utf8String, Array("Jörg".utf8), "Jörg"), (.utf8String, [0xFF], nil),
            (.printableString, Array("A".utf8), "A"),
            (.printableString, [0xC3], nil), (.ia5String, Array("a@b".utf8), "a@b"),
            (.teletexString, [0x4A, 0xF6], "Jö"),
            (.bmpString, [0, 0x4A, 0, 0xF6], "Jö"), (.bmpString, [0], nil), (.bmpString, [0xD8, 0], nil),
            (.universalString, [0, 1, 0xF6, 0], "😀"), (.universalString, [0, 0x11, 0, 0], nil),
            (.octetString, [0x41], nil),
        ] as [(DERTag, [UInt8], String?)])
    func texts(tag: DERTag, content: [UInt8], text: String?) throws {
        var writer = DERWriter()
        writer.element(tag, content)
        let bytes = writer.bytes
        let element = try DERElement(parsing: bytes.span)
        #expect(element.text(in: bytes.span) == text)
    }

    @Test(
        "What is written can be read, whatever its length",
        arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536, 200_000])
    func lengths(count: Int) throws {
        var writer = DERWriter()
        writer.element(.sequence) { writer in
            writer.element(.octetString, [UInt8](repeating: 7, count: count))
            writer.element(.bitString, [0, 1, 2])
            writer.element(.boolean, [0xFF])
            writer.objectIdentifier(DERObjectIdentifier(2, 5, 4, 3))
            writer.element(.implicit(31), [1])
            writer.element(.implicit(5_000_000), [2])
        }
        let bytes = writer.bytes
        let element = try DERElement(parsing: bytes.span)
        let tags = element.children.map(\.tag)
        #expect(tags == [.octetString, .bitString, .boolean, .objectIdentifier, .implicit(31), .implicit(5_000_000)])
        #expect(element.children[0].content.count == count)
        let whole = try element.children[1].wholeBytes(in: bytes.span)
        #expect(whole == [1, 2])
    }
}

@Suite("PEM (RFC 7468)")
struct PEMTests {
    @Test(
        "What openssl writes is read, and what is written openssl reads", arguments: ["server", "key-rsa", "name-utf8"])
    func both(name: String) throws {
        let certificate = try CertificateFixtures.bytes("\(name).der")
        let folder = try TemporaryDirectory()
        try Data(PEM.text(label: "CERTIFICATE", certificate.span).utf8).write(to: URL(filePath: folder.file("a.pem")))
        let convert = try RunningProgram(
            "/usr/bin/env", ["openssl", "x509", "-in", folder.file("a.pem"), "-out", folder.file("b.pem")])
        #expect(convert.waitForExit() == 0)
        let written = [UInt8](try Data(contentsOf: URL(filePath: folder.file("b.pem"))))
        let blocks = try PEM.read(written.span)
        #expect(blocks.map(\.label) == ["CERTIFICATE"])
        #expect(blocks[0].content.isEqual(to: SecretBytes(copying: certificate.span)))
        #expect(written == Array(PEM.text(label: "CERTIFICATE", certificate.span).utf8))
    }

    @Test("Every length of content comes back", arguments: 0...100)
    func lengths(count: Int) throws {
        let content = [UInt8]((0..<count).map { UInt8($0) })
        let text = Array(("before\n" + PEM.text(label: "X", content.span) + "behind").utf8)
        let blocks = try PEM.read(text.span)
        #expect(blocks.count == 1)
        #expect(blocks[0].content.isEqual(to: SecretBytes(copying: content.span)))
    }

    @Test(
        "What is no PEM is refused",
        arguments: [
            ("-----BEGIN A-----\nAAAA\n", PEM.Malformed.unterminated),
            ("-----BEGIN A-----\nAAAA\n-----END B-----\n", .unterminated),
            ("-----BEGIN A-----\nAA*A\n-----END A-----\n", .notBase64),
            ("-----BEGIN A-----\nAAA\n-----END A-----\n", .notBase64),
            ("-----BEGIN A-----\nAAAAA\n-----END A-----\n", .notBase64),
            ("-----BEGIN A-----\nAAB=\n-----END A-----\n", .notBase64),
            ("-----BEGIN A-----\nAA==AAAA\n-----END A-----\n", .notBase64),
            ("-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\nAAAA\n-----END A-----\n", .notBase64),
            ("-----BEGIN A-----\nX: y\n\nAAAA\n-----END A-----\n", .headers),
        ])
    func refused(text: String, error: PEM.Malformed) {
        let bytes = Array(text.utf8)
        #expect(failure { () throws(PEM.Malformed) in try PEM.read(bytes.span) } == error)
    }

    @Test("Several blocks, blanks and carriage returns are read; a text without blocks has none")
    func forms() throws {
        let text = Array(
            "-----BEGIN A B-----\r\nAAAA  \r\n A A A A\t\r\n-----END A B-----\r\n-----BEGIN C-----\n-----END C-----"
                .utf8)
        let blocks = try PEM.read(text.span)
        #expect(blocks.map(\.label) == ["A B", "C"])
        #expect(blocks.map(\.content.count) == [6, 0])
        let nothing = Array("nothing here".utf8)
        let none = try PEM.read(nothing.span)
        #expect(none.isEmpty)
    }

    @Test("More blocks than there is a reason for are refused")
    func many() {
        let text = Array(String(repeating: "-----BEGIN C-----\n-----END C-----\n", count: PEM.mostBlocks + 1).utf8)
        #expect(failure { () throws(PEM.Malformed) in try PEM.read(text.span) } == .tooLarge)
    }
}
