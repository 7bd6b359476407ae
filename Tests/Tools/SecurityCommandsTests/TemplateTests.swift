import LinuxSystem
import Testing

@testable import SecurityCommands

@Suite("Templates") struct TemplateTests {
    private func template(_ text: String) throws(Template.Malformed) -> Template {
        try Template(SecretBytes(copying: Array(text.utf8).span))
    }

    private func form(_ filter: Template.Filter, of value: [UInt8]) -> (text: String, problem: String?) {
        let buffer = SecretBuffer()
        let problem = filter.append(value.span, to: buffer)
        return (buffer.finish().withSpan { $0.text(0, $0.count) ?? "" }, problem)
    }

    @Test("Places, text between them and doubled braces are told apart")
    func reads() throws {
        let parts = try template("a{{ kc://d/ci }}{{{{b}}{{kc://d/ci | sh}}").parts
        let shown = parts.map { part in
            switch part {
            case .text(let bytes): bytes.withSpan { $0.text(0, $0.count) ?? "" }
            case .value(let reference, let filter): "<\(reference.text) \(filter?.rawValue ?? "-")>"
            }
        }
        #expect(shown == ["a", "<kc://d/ci ->", "{{b}}", "<kc://d/ci sh>"])
    }

    @Test(
        "Anything else between braces is refused with its line, and is not repeated",
        arguments: [
            "{{ .Values.x }}", "{{ kc://d/ci | other }}", "{{ kc://d/ci", "{{ kc://d/ci\n}}", "{{}}", "{{ }}",
            "{{ kc://d/ci kc://e/f }}", "{{ kc://d/ci | sh | url }}", "{{ kc://d/ci | }}", "{{ kc://d/ci |sh }}",
            "{{ \"kc://d/ci\" }}", "{{{ kc://d/ci }}}",
        ])
    func refuses(text: String) {
        do throws(Template.Malformed) {
            _ = try template("x\n\(text)\n")
            Issue.record("it was taken")
        } catch {
            #expect(error.line == 2 && !error.problem.contains("Values") && !error.problem.contains("other"))
        }
    }

    @Test("The filter sh makes one word of everything but a zero byte")
    func wordsOfShells() {
        #expect(form(.sh, of: Array("a'b $(c)\n`d`\\".utf8)) == (#"'a'\''b $(c)"# + "\n`d`\\'", nil))
        #expect(form(.sh, of: []) == ("''", nil))
        #expect(form(.sh, of: [0x61, 0, 0x62]).problem?.contains("zero byte") == true)
    }

    @Test("The filter url leaves unreserved bytes alone and encodes all others")
    func urls() {
        #expect(form(.url, of: Array("aZ09-._~".utf8)) == ("aZ09-._~", nil))
        #expect(form(.url, of: Array("/?#&=+ é%".utf8)) == ("%2F%3F%23%26%3D%2B%20%C3%A9%25", nil))
        #expect(form(.url, of: [0, 0xFF, 0x0A]) == ("%00%FF%0A", nil))
    }

    @Test("The filters json and base64 write what their formats demand")
    func others() {
        #expect(form(.json, of: Array("a\"\\\n\u{1}é".utf8)) == (#""a\"\\\n\u0001é""#, nil))
        #expect(form(.json, of: [0xFF]).problem?.contains("UTF-8") == true)
        #expect(form(.base64, of: [0, 0xFF, 0x10, 0x80]) == ("AP8QgA==", nil))
    }
}
