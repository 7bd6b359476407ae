import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("item") struct ItemCommandTests {
    private let shell = Shell()

    private func add(_ service: String, _ value: String = "s3cret") {
        let outcome = shell.run("item", "-a", "-d", value, "class=genp", "svce=\(service)", "acct=ci")
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome)")
    }

    @Test("An item has a line for each attribute, sorted and padded, and a line of equals signs after it")
    func lines() {
        add("deploy")
        let lines = shell.run("item", "class=genp", "svce=deploy").text.split(separator: "\n").map(String.init)
        #expect(lines.last == "====" && lines.contains("svce       : deploy") && lines.contains("class      : genp"))
        #expect(lines.dropLast() == lines.dropLast().sorted()[...])
        #expect(lines.dropLast().allSatisfy { $0.dropFirst(10).hasPrefix(" : ") })
        #expect(lines.allSatisfy { !$0.contains("s3cret") })
    }

    @Test("A value is shown for -g alone, between slashes where it is text, and its bytes after it")
    func values() {
        add("text")
        add("bytes", "\u{1}\u{2}")
        #expect(
            shell.run("item", "-g", "class=genp", "svce=text").text.contains("v_Data     : /s3cret/ 733363726574\n"))
        #expect(shell.run("item", "-g", "class=genp", "svce=bytes").text.contains("v_Data     : not printable 0102\n"))
        #expect(!shell.run("item", "class=genp", "svce=text").text.contains("v_Data"))
    }

    @Test("Changes and deletions are of what the query finds, and of nothing else")
    func changes() {
        add("one")
        add("two")
        #expect(shell.run("item", "-u", "labl=new,icmt=text", "-q", "class=genp,svce=one").status == 0)
        #expect(shell.run("item", "class=genp", "svce=one").text.contains("labl       : new\n"))
        #expect(!shell.run("item", "class=genp", "svce=two").text.contains("new"))
        #expect(shell.run("item", "-D", "class=genp", "svce=one").status == 0)
        let left = shell.keychain.update { $0.items.map { $0.attributes[.service]?.string } }
        #expect(left == ["two"])
    }

    @Test("Nothing found is said, and is no failure, as on macOS", arguments: [[], ["-D"], ["-u", "labl=x"]])
    func nothing(options: [String]) {
        let outcome = shell.run(["item"] + options + ["class=genp", "svce=nowhere"], input: [])
        #expect(outcome.status == 0 && outcome.text.isEmpty)
        #expect(outcome.errors.contains("The specified item could not be found in the keychain."))
    }

    @Test(
        "A wrong command line is refused, and nothing is asked of the keychain",
        arguments: [
            [], ["svce=x"], ["class"], ["-a", "-D", "class=genp"], ["-a", "-g", "class=genp"],
            ["-D", "-g", "class=genp"], ["-a", "-u", "labl=x", "class=genp"], ["-l", "0", "class=genp"],
            ["-l", "many", "class=genp"], ["-q", "class", "svce=x"], ["-u", "labl", "class=genp"],
        ])
    func usage(words: [String]) {
        #expect(shell.run(["item"] + words, input: []).status == 2)
        #expect(shell.keychain.update { $0.requests.isEmpty })
    }

    @Test("A reference that is no base64, an unknown attribute and a sharing are refused")
    func refused() {
        let outcome = shell.run("item", "-P", "%%", "class=genp")
        #expect(outcome.status == 1)
        #expect(outcome.text == "-P expects a b64 encoded persistent reference string\n")
        #expect(shell.run("item", "class=genp", "nope=1").status != 0)
        #expect(shell.run("item", "-s", "group", "class=genp").status != 0)
        #expect(shell.keychain.update { $0.items.isEmpty })
    }

    @Test("A persistent reference names its item")
    func references() throws {
        add("one")
        add("two")
        let text = shell.run("item", "-p", "class=genp", "svce=two").text
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("v_PersistentRef") })
        let reference = try #require(line.split(separator: " ").last.map(String.init))
        let found = shell.run("item", "-P", reference).text
        #expect(found.contains("svce       : two") && !found.contains("svce       : one"))
    }

    @Test("-j writes an object a line, with sorted members")
    func json() {
        add("deploy")
        let text = shell.run("item", "-j", "-g", "class=genp").text
        #expect(text.hasPrefix("{\"acct\":\"ci\"") && text.contains("\"v_Data\":\"s3cret\"") && text.hasSuffix("}\n"))
        #expect(text.split(separator: "\n").count == 1)
    }
}
