import KeychainModel
import SecurityCommands
import Testing

@Suite("docker-credential") struct DockerCredentialTests {
    let shell = Shell()

    private func docker(_ operation: String, _ input: String = "") -> Shell.Outcome {
        shell.run("docker-credential", operation, input: input)
    }

    private func store(_ server: String, _ account: String, _ secret: String) -> Shell.Outcome {
        docker("store", #"{"ServerURL":"\#(server)","Username":"\#(account)","Secret":"\#(secret)"}"#)
    }

    @Test(
        "What docker stored it gets again under the same name",
        arguments: [
            "https://index.docker.io/v1/", "ghcr.io", "localhost:5000", "http://registry.example:8080/path",
            "https://[2001:db8::1]:5000",
        ])
    func storesAndGets(server: String) {
        #expect(store(server, "ann", "s3cret") == .init(0))
        let expected = #"{"ServerURL":"\#(server)","Username":"ann","Secret":"s3cret"}"# + "\n"
        #expect(docker("get", server + "\n") == .init(0, expected))
        #expect(docker("list") == .init(0, #"{"\#(server)":"ann"}"# + "\n"))
    }

    @Test(
        "A login is found and erased without the port, the path or the scheme it was stored with",
        arguments: [
            ("https://reg.example:2345/v1", "reg.example"), ("https://reg.example:2345/v1", "reg.example:2345"),
            ("https://reg.example:2345/v1", "https://reg.example"), ("https://reg.example", "reg.example"),
            ("https://reg.example:2345/v1", "https://reg.example:2345"), ("reg.example/one/two", "https://reg.example"),
        ])
    func findsLooser(stored: String, asked: String) {
        _ = store(stored, "ann", "one")
        let expected = #"{"ServerURL":"\#(asked)","Username":"ann","Secret":"one"}"# + "\n"
        #expect(docker("get", asked) == .init(0, expected))
        #expect(docker("erase", asked) == .init(0))
        #expect(docker("list") == .init(0, "{}\n"))
    }

    @Test(
        "A login for another scheme, port, path or host is not found",
        arguments: [
            ("https://reg.example", "http://reg.example"), ("http://reg.example", "reg.example"),
            ("https://reg.example:2345", "reg.example:5678"), ("https://reg.example", "reg.example:2345"),
            ("https://reg.example/one", "reg.example/two"), ("https://reg.example", "reg.example/one"),
            ("https://reg.example", "example"), ("https://reg.example", "other.example"),
        ])
    func findsNoOther(stored: String, asked: String) {
        _ = store(stored, "ann", "one")
        #expect(docker("get", asked).status == 1 && docker("erase", asked).status == 1)
        #expect(docker("list") == .init(0, #"{"\#(stored)":"ann"}"# + "\n"))
    }

    @Test("Of several logins the one that is asked for is found, and none where each might be meant")
    func findsTheNearest() {
        _ = store("reg.example:2345", "ann", "one")
        _ = store("reg.example:5678", "bob", "two")
        #expect(docker("get", "reg.example").status == 1)
        _ = store("reg.example", "cat", "three")
        #expect(docker("get", "reg.example").text.contains("three"))
        #expect(docker("get", "reg.example:5678").text.contains("two"))
    }

    @Test("A server has one login: another account's takes its place")
    func hasOneLogin() {
        _ = store("ghcr.io", "ann", "one")
        _ = store("ghcr.io", "<token>", "two")
        _ = store("quay.io", "bob", "three")
        #expect(docker("list") == .init(0, #"{"ghcr.io":"<token>","quay.io":"bob"}"# + "\n"))
        #expect(docker("get", "ghcr.io").text.contains(#""Secret":"two""#))
    }

    @Test("An erased login is gone, and the helper's words say so to docker")
    func erases() {
        let missing = Shell.Outcome(1, "credentials not found in native keychain\n")
        #expect(docker("get", "ghcr.io") == missing)
        #expect(docker("erase", "ghcr.io") == missing)
        _ = store("ghcr.io", "ann", "one")
        #expect(docker("erase", "ghcr.io") == .init(0))
        #expect(docker("get", "ghcr.io") == missing)
        #expect(docker("list") == .init(0, "{}\n"))
    }

    @Test("The logins of others are not listed")
    func listsItsOwn() {
        _ = shell.run("add-internet-password", "-s", "ghcr.io", "-r", "htps", "-a", "other", "-w", "x")
        #expect(docker("list") == .init(0, "{}\n"))
    }

    @Test(
        "A secret is kept as its JSON says, whatever its characters",
        arguments: [(#"a\"b\\c\/d\n\u00e9"#, "a\"b\\c/d\né"), (#"\ud83d\udd11"#, "🔑"), ("ключ", "ключ")])
    func unescapes(json: String, secret: String) {
        #expect(store("ghcr.io", "ann", json) == .init(0))
        let kept = shell.run("find-internet-password", "-s", "ghcr.io", "-w")
        #expect(kept.output == Array((secret + "\n").utf8))
    }

    @Test(
        "Input that is not what docker writes is refused, and nothing is stored",
        arguments: [
            ("", "the input is not a JSON object"), ("[]", "the input is not a JSON object"),
            ("{", "the input is not a JSON object"), (#"{"ServerURL":"a","Username":"b","Secret":"c"}x"#, "not a JSON"),
            (#"{"ServerURL":"a","Username":"b","Secret":"\ud800"}x"#, "not a JSON"),
            (#"{"ServerURL":"a","Username":"b","Secret":"c","n":.5}"#, "not a JSON"),
            (#"{"ServerURL":"a","Username":"b","Secret":"\x"}"#, "not a JSON"),
            (#"{"Username":"b","Secret":"c"}"#, "no credentials server URL"),
            (#"{"ServerURL":"a","Username":"","Secret":"c"}"#, "no credentials username"),
            (#"{"ServerURL":7,"Username":"b","Secret":"c"}"#, "no credentials server URL"),
            (#"{"ServerURL":"https://","Username":"b","Secret":"c"}"#, "is not the address of a server"),
        ])
    func refuses(input: String, message: String) {
        let outcome = docker("store", input)
        #expect(outcome.status == 1 && outcome.text.contains(message) && outcome.errors.isEmpty)
        #expect(shell.keychain.update { $0.items.isEmpty })
    }

    @Test(
        "A missing server, an unknown action and a refusal are told on standard output, where docker reads it"
    )
    func tellsErrors() {
        #expect(docker("get", "\n") == .init(1, "no credentials server URL\n"))
        #expect(docker("forget") == .init(1, "Unknown credential action `forget`\n"))
        shell.keychain.update { $0.isLocked = true }
        let locked = docker("get", "ghcr.io")
        #expect(locked.status == 1 && locked.text.contains("User interaction is not allowed."))
    }
}
