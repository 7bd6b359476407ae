import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("Dumps of keychains, read back")
struct DumpRecordTests {
    private static let text = #"""
        keychain: "/k"
        version: 512
        class: "genp"
        attributes:
            0x00000007 <blob>="a name"
            "acct"<blob>=0x61C3A9  "a\303\251"
            "svce"<blob>=<NULL>
        data:
        "sesame"
        keychain: "/k"
        class: "inet"
        attributes:
            "srvr"<blob>=
        data:
        <only for programs of the access group "x">

        """#

    private func records(_ bytes: [UInt8]) throws -> [DumpRecord] {
        var records: [DumpRecord] = []
        try DumpRecord.forEach(of: bytes.span) { records.append($0) }
        return records
    }

    private func bytes(_ secret: SecretBytes?) -> [UInt8]? { secret?.withSpan { $0.array(0, $0.count) } }

    @Test("Cells are read in quotation marks and in hexadecimal digits")
    func cells() throws {
        let found = try records(Array(Self.text.utf8))
        #expect(found.map(\.itemClass) == [Array("genp".utf8), Array("inet".utf8)])
        #expect(bytes(found[0].cells["0x00000007"]) == Array("a name".utf8) && found[0].cells["svce"] == nil)
        #expect(bytes(found[0].cells["acct"]) == Array("a\u{e9}".utf8) && bytes(found[1].cells["srvr"]) == [])
        #expect(bytes(found[0].value) == Array("sesame".utf8) && found[1].value == nil)
    }

    @Test("A text that is cut anywhere is refused, or has a value less; none of its values is cut")
    func cut() {
        let text = Array(Self.text.utf8)
        for count in 0..<text.count {
            guard let found = try? records(Array(text[..<count])) else { continue }
            #expect(text[count - 1] == UInt8(ascii: "\n"))
            #expect(found.allSatisfy { $0.value == nil || bytes($0.value) == Array("sesame".utf8) })
        }
    }
}
