import CommandOptions
import KeychainModel
import SecurityCommands
import Testing

/// Git's logins, docker's, and the user's own internet passwords, all for one server and account.
@Suite("Logins of helpers and the user's own are apart") struct HelpersApartTests {
    let shell = Shell()

    private func git(_ operation: String, password: String? = nil, account: String? = "ann") -> Shell.Outcome {
        var lines = ["protocol=https", "host=forge.example"]
        if let account { lines.append("username=\(account)") }
        if let password { lines.append("password=\(password)") }
        return shell.run("git-credential", operation, input: lines.joined(separator: "\n") + "\n")
    }

    private func docker(_ operation: String, _ input: String = "forge.example") -> Shell.Outcome {
        shell.run("docker-credential", operation, input: input)
    }

    private func dockerLogin(_ secret: String, account: String = "ann") {
        let login = #"{"ServerURL":"forge.example","Username":"\#(account)","Secret":"\#(secret)"}"#
        #expect(docker("store", login) == .init(0))
    }

    private let own = ["-s", "forge.example", "-r", "htps", "-a", "ann"]

    private func addOwn(_ password: String, _ options: String...) -> Shell.Outcome {
        shell.run((["add-internet-password"] + own + options + ["-w", password]).map { Argument($0) })
    }

    private func findOwn(_ options: String...) -> String {
        shell.run((["find-internet-password"] + own + options + ["-w"]).map { Argument($0) }).text
    }

    private func storeAll() {
        #expect(git("store", password: "gits") == .init(0))
        dockerLogin("dockers")
        #expect(addOwn("own").status == 0)
    }

    private func expectAll() {
        #expect(git("get", account: nil) == .init(0, "username=ann\npassword=gits\n"))
        #expect(docker("get").text.contains(#""Secret":"dockers""#))
        #expect(findOwn() == "own\n")
    }

    @Test("Each finds what it stored, whoever stored last")
    func apart() {
        storeAll()
        expectAll()
        #expect(shell.keychain.update { $0.items.count } == 3)
    }

    @Test("A new password changes one's own alone")
    func storing() {
        storeAll()
        #expect(git("store", password: "new") == .init(0))
        #expect(docker("get").text.contains(#""Secret":"dockers""#))
        dockerLogin("other", account: "bob")
        #expect(git("get").text.contains("password=new\n"))
        #expect(findOwn() == "own\n")
        #expect(shell.keychain.update { $0.items.count } == 3)
    }

    @Test("Docker's logout erases docker's login alone, and git's refusal git's")
    func erasing() {
        storeAll()
        #expect(docker("erase") == .init(0))
        #expect(docker("get").status == 1)
        #expect(git("get").text.contains("password=gits\n") && findOwn() == "own\n")
        #expect(git("erase") == .init(0))
        #expect(git("get") == .init(0))
        #expect(findOwn() == "own\n")
        #expect(docker("erase").status == 1)
        #expect(shell.keychain.update { $0.items.count } == 1)
    }

    @Test("Docker lists its own logins alone, also beside a password of the user's that is labelled as its are")
    func listing() {
        storeAll()
        _ = addOwn("x", "-p", "/v2", "-l", "Docker Credentials")
        #expect(docker("list") == .init(0, #"{"forge.example":"ann"}"# + "\n"))
    }

    @Test("The user's own passwords are neither git's nor docker's")
    func userAlone() {
        _ = addOwn("own")
        #expect(git("get", account: nil) == .init(0))
        #expect(docker("get").status == 1)
        #expect(git("erase", account: nil) == .init(0))
        #expect(docker("erase").status == 1)
        #expect(findOwn() == "own\n")
    }

    @Test("The user finds a helper's login where there is none of the user's own, and can give a helper one")
    func scripts() {
        _ = git("store", password: "gits")
        #expect(findOwn() == "gits\n")
        #expect(addOwn("given", "-U", "-d", "git-credential").status == 0)
        #expect(git("get").text.contains("password=given\n"))
        // Without the domain the user's own is meant, which is not there yet.
        #expect(addOwn("own", "-U").status == 0)
        #expect(git("get").text.contains("password=given\n") && findOwn() == "own\n")
        #expect(findOwn("-d", "git-credential") == "given\n")
        _ = shell.run((["delete-internet-password"] + own).map { Argument($0) })
        #expect(findOwn() == "given\n")
    }

    @Test("A scheme that is called as a helper's domain gets nothing of others", arguments: ["git-credential", "x"])
    func schemes(scheme: String) {
        storeAll()
        let asked = shell.run("git-credential", "get", input: "protocol=\(scheme)\nhost=forge.example\n")
        #expect(asked == .init(0))
        #expect(docker("get", "docker-credential://forge.example").status == 1)
        expectAll()
    }
}

/// Logins as helpers stored them when they had no security domain.
@Suite("Logins of helpers from before they were apart") struct OlderLoginTests {
    let shell = Shell()

    private func add(_ account: String, _ password: String, _ options: String...) {
        let words = ["add-internet-password", "-s", "forge.example", "-a", account] + options + ["-w", password]
        #expect(shell.run(words.map { Argument($0) }).status == 0)
    }

    private func older() {
        add("ann", "gits", "-r", "htps", "-l", "forge.example", "-D", "git credential")
        add(
            "bob", "dockers", "-r", "htps", "-l", "Docker Credentials", "-D", "docker credential", "-j", "forge.example"
        )
        add("cat", "own", "-r", "htps")
    }

    private func git(_ operation: String, _ lines: String...) -> Shell.Outcome {
        let input = ["protocol=https", "host=forge.example"] + lines
        return shell.run("git-credential", operation, input: input.joined(separator: "\n") + "\n")
    }

    private func docker(_ operation: String, _ input: String = "forge.example") -> Shell.Outcome {
        shell.run("docker-credential", operation, input: input)
    }

    private var domains: [String: String] {
        shell.keychain.update { state in
            Dictionary(
                uniqueKeysWithValues: state.items.map {
                    ($0.attributes[.account]?.string ?? "", $0.attributes[.securityDomain]?.string ?? "")
                })
        }
    }

    @Test("Each helper finds its own, which is in its domain from then on, and nobody else's is touched")
    func found() {
        older()
        #expect(git("get") == .init(0, "username=ann\npassword=gits\n"))
        #expect(domains == ["ann": "git-credential", "bob": "", "cat": ""])
        #expect(docker("get").text.contains(#""Secret":"dockers""#))
        #expect(domains == ["ann": "git-credential", "bob": "docker-credential", "cat": ""])
        #expect(git("get", "username=cat") == .init(0))
    }

    @Test("Docker lists them, and moves docker's alone")
    func listed() {
        older()
        #expect(docker("list") == .init(0, #"{"forge.example":"bob"}"# + "\n"))
        #expect(domains == ["ann": "", "bob": "docker-credential", "cat": ""])
    }

    @Test("They are erased by their own helper alone")
    func erased() {
        older()
        #expect(docker("erase") == .init(0))
        #expect(domains == ["ann": "", "cat": ""])
        #expect(git("erase") == .init(0))
        #expect(domains == ["cat": ""])
    }

    @Test("A new password takes the place of the older login's, another account of docker's too")
    func replaced() {
        older()
        #expect(git("store", "username=ann", "password=new") == .init(0))
        #expect(git("get") == .init(0, "username=ann\npassword=new\n"))
        #expect(docker("store", #"{"ServerURL":"forge.example","Username":"eve","Secret":"s"}"#) == .init(0))
        #expect(domains == ["ann": "git-credential", "eve": "docker-credential", "cat": ""])
    }

    @Test("One that was stored by an older helper beside a newer login gives way to it, so that a logout is one")
    func both() {
        #expect(git("store", "username=ann", "password=new") == .init(0))
        older()
        #expect(git("erase") == .init(0))
        #expect(git("get") == .init(0))
        #expect(domains == ["bob": "", "cat": ""])
    }

    @Test("A scheme without a code keeps its name in the domain")
    func schemes() {
        add("ann", "gits", "-d", "sftp", "-D", "git credential")
        let asked = shell.run("git-credential", "get", input: "protocol=sftp\nhost=forge.example\n")
        #expect(asked == .init(0, "username=ann\npassword=gits\n"))
        #expect(domains == ["ann": "git-credential sftp"])
    }

    @Test("What cannot be moved is told, and stays")
    func refused() {
        older()
        shell.keychain.update { $0.isLocked = true }
        #expect(git("get").status == -25308)
        shell.keychain.update { $0.isLocked = false }
        #expect(git("get") == .init(0, "username=ann\npassword=gits\n"))
    }
}
