import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

/// `security setup`: what it changes in a home, and that it takes back exactly that.
@Suite("Setting up other programs")
struct SetupTests {
    /// A home with files, and a folder of programs.
    private struct Home {
        let folder: TemporaryDirectory
        var shell = Shell()

        init(programs: [String] = []) throws {
            folder = try TemporaryDirectory()
            try PrivateDirectory.ensure("\(folder.path)/bin")
            shell.environment = ["HOME": folder.path, "PATH": "/nowhere:\(folder.path)/bin"]
            for name in programs { try write("#!/bin/sh\n", "bin/\(name)", mode: 0o755) }
        }

        func write(_ text: String, _ name: String, mode: UInt32 = 0o644) throws {
            if let parent = PrivateDirectory.parent(of: "\(folder.path)/\(name)") {
                try PrivateDirectory.ensure(parent)
            }
            try AtomicFile.replace("\(folder.path)/\(name)", with: Array(text.utf8).span, mode: mode)
        }

        func text(_ name: String) -> String? {
            (try? AtomicFile.read("\(folder.path)/\(name)", limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private static let section = """
        # begin: security setup git
        [credential]
        \thelper =
        \thelper = keychain
        # end: security setup git

        """

    @Test(
        "Git gets a section at the end of its configuration, and undo leaves what was there, byte for byte",
        arguments: ["", "[user]\n\tname = Ada\n", "[credential]\n\thelper = store\n# end\n"])
    func git(before: String) throws {
        let home = try Home(programs: ["git-credential-keychain"])
        if !before.isEmpty { try home.write(before, ".gitconfig") }
        #expect(home.shell.run("setup", "-y", "git").status == 0)
        #expect(home.text(".gitconfig") == before + Self.section)
        #expect(home.shell.run("setup", "-y", "git").text == "security: nothing has to be changed\n")
        #expect(home.shell.run("setup", "-u", "-y", "git").status == 0)
        #expect(home.text(".gitconfig") == (before.isEmpty ? nil : before))
    }

    @Test("What was written behind the section stays when it is taken back")
    func gitLaterLines() throws {
        let home = try Home(programs: ["git-credential-keychain"])
        #expect(home.shell.run("setup", "-y", "git").status == 0)
        try home.write((home.text(".gitconfig") ?? "") + "[user]\n\tname = Ada\n", ".gitconfig")
        #expect(home.shell.run("setup", "-u", "-y", "git").status == 0)
        #expect(home.text(".gitconfig") == "[user]\n\tname = Ada\n")
    }

    @Test("Where git would not find the helper by its name, it is called as a command")
    func gitWithoutHelper() throws {
        let home = try Home()
        #expect(home.shell.run("setup", "-y", "git").status == 0)
        #expect(home.text(".gitconfig")?.contains("helper = !security git-credential\n") == true)
    }

    @Test("Git's other place is used where it is the one in use")
    func gitElsewhere() throws {
        let home = try Home(programs: ["git-credential-keychain"])
        try home.write("[user]\n", ".config/git/config")
        #expect(home.shell.run("setup", "-y", "git").status == 0)
        #expect(home.text(".config/git/config") == "[user]\n" + Self.section && home.text(".gitconfig") == nil)
    }

    @Test("The difference is shown, and without a yes nothing is changed")
    func unconfirmed() throws {
        let home = try Home(programs: ["git-credential-keychain"])
        try home.write("[user]\n\tname = Ada\n", ".gitconfig")
        let outcome = home.shell.run("setup", "git")
        #expect(outcome.status == 1 && outcome.errors.contains("nothing was changed"))
        let path = "\(home.folder.path)/.gitconfig"
        #expect(
            outcome.text == """
                --- \(path)
                +++ \(path)
                @@ -1,2 +1,7 @@
                 [user]
                 \tname = Ada
                +# begin: security setup git
                +[credential]
                +\thelper =
                +\thelper = keychain
                +# end: security setup git

                """)
        #expect(home.shell.run("setup", "-n", "git").status == 0)
        #expect(home.text(".gitconfig") == "[user]\n\tname = Ada\n")
    }

    @Test("A failure says which changes before it could not be taken back, and why")
    func leaves() throws {
        let folder = try TemporaryDirectory()
        let (file, below) = (folder.file("d/f"), folder.file("d/f/g"))
        let changes = [
            FileChange(path: file, before: nil, after: "1"),
            FileChange(path: file, before: "1", after: nil, root: folder.path),
            FileChange(path: below, before: nil, after: "2"),
            FileChange(path: folder.file("d/f/g/h"), before: nil, after: "3"),
        ]
        let failure = #expect(throws: CommandFailure.self) { try FileChange.apply(changes) }
        #expect(failure?.message?.hasPrefix("\(below)/h cannot be changed: ") == true)
        let cause = failure?.explanation.cause ?? ""
        #expect(cause.hasPrefix("What was changed before it stays in part: \(file) cannot be changed: "), "\(cause)")
        #expect(try FileStatus(at: below) == nil)
    }

    @Test("A section without an end is left to the user")
    func brokenSection() throws {
        let home = try Home()
        try home.write("# begin: security setup git\n[user]\n", ".gitconfig")
        let outcome = home.shell.run("setup", "-y", "git")
        #expect(outcome.status == 1 && outcome.errors.contains("without its end"))
        #expect(home.text(".gitconfig") == "# begin: security setup git\n[user]\n")
    }

    @Test("A configuration that is a link to another file stays one")
    func linked() throws {
        let home = try Home(programs: ["git-credential-keychain"])
        try home.write("[user]\n", "dotfiles/gitconfig", mode: 0o600)
        let isLinked = unsafe symlink("dotfiles/gitconfig", "\(home.folder.path)/.gitconfig") == 0
        #expect(isLinked)
        #expect(home.shell.run("setup", "-y", "git").status == 0)
        #expect(home.text("dotfiles/gitconfig") == "[user]\n" + Self.section)
        let link = try #require(try FileStatus(ofLink: "\(home.folder.path)/.gitconfig"))
        #expect(!link.isRegularFile)
        #expect(try FileStatus(at: "\(home.folder.path)/.gitconfig")?.mode ?? 0 & 0o777 == 0o100600)
    }

    @Test(
        "Docker's configuration gets its member, and undo leaves what was there, byte for byte",
        arguments: [
            "{}\n", "{\n\t\"auths\": {}\n}\n", "{\"credsStore\":\"pass\"}",
            "{\"a\": 1, \"credsStore\": \"pass\", \"b\": 2}\n",
            "{\n  \"a\": [1, {\"credsStore\": \"no\"}]\n}",
        ])
    func docker(before: String) throws {
        let home = try Home(programs: ["docker-credential-keychain"])
        try home.write(before, ".docker/config.json", mode: 0o600)
        #expect(home.shell.run("setup", "-y", "docker").status == 0)
        let after = try #require(home.text(".docker/config.json"))
        #expect(after.contains("\"credsStore\"") && after.contains("\"keychain\"") && !after.contains("\"pass\""))
        #expect(home.shell.run("setup", "-y", "docker").text == "security: nothing has to be changed\n")
        #expect(home.shell.run("setup", "--undo", "-y", "docker").status == 0)
        #expect(home.text(".docker/config.json") == before)
        #expect(home.text(".local/state/keychain/docker-credsStore") == nil)
    }

    @Test("Docker without a configuration gets one")
    func dockerWithout() throws {
        let home = try Home(programs: ["docker-credential-keychain"])
        #expect(home.shell.run("setup", "-y", "docker").status == 0)
        #expect(home.text(".docker/config.json") == "{\n\t\"credsStore\": \"keychain\"\n}\n")
    }

    @Test("Docker without a helper that it finds is not told to use one")
    func dockerWithoutHelper() throws {
        let home = try Home()
        let outcome = home.shell.run("setup", "-y", "docker")
        #expect(outcome.status == 1 && outcome.errors.contains("docker-credential-keychain"))
        #expect(home.text(".docker/config.json") == nil)
    }

    @Test(
        "A configuration that is no JSON object is left alone",
        arguments: [
            "[]", #"{"a":.5}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":+1}"#, #"{"a":0x10}"#, #"{"a":1e}"#, #"{"a":--1}"#,
            #"{"a":"\x"}"#, #"{"a":"\ud800"}"#, "{\"a\":\"\\\u{1}\"}",
        ])
    func dockerBroken(text: String) throws {
        let home = try Home(programs: ["docker-credential-keychain"])
        try home.write(text, ".docker/config.json")
        #expect(home.shell.run("setup", "-y", "docker").status == 1)
        #expect(home.text(".docker/config.json") == text)
    }

    @Test("Targets that use Security without importing it get one file, and no others do")
    func swift() throws {
        var home = try Home()
        home.shell.environment["PWD"] = home.folder.path
        try home.write("// swift-tools-version: 6.0\n", "Package.swift")
        try home.write("import Foundation\nlet a = kSecClass\n", "Sources/Uses/a.swift")
        try home.write("import Security\nlet a = kSecClass\n", "Sources/Imports/a.swift")
        try home.write("let a = \"secured\"\n", "Sources/Neither/a.swift")
        try home.write("import Foundation\nfunc f() { _ = SecItemDelete }\n", "Sources/Deep/Folder/a.swift")
        #expect(home.shell.run("setup", "-y", "swift").status == 0)
        for (target, gets) in [("Uses", true), ("Deep", true), ("Imports", false), ("Neither", false)] {
            let text = home.text("Sources/\(target)/ReexportSecurity.swift")
            #expect((text?.contains("@_exported import Security") == true) == gets, "\(target)")
        }
        try home.write("// mine now\n", "Sources/Deep/ReexportSecurity.swift")
        #expect(home.shell.run("setup", "-u", "-y", "swift").status == 0)
        #expect(home.text("Sources/Uses/ReexportSecurity.swift") == nil)
        #expect(home.text("Sources/Deep/ReexportSecurity.swift") == "// mine now\n")
    }

    /// The file that setting up writes for one source.
    private func exported(_ source: String, in folder: String = "Sources/Uses") throws -> String? {
        var home = try Home()
        home.shell.environment["PWD"] = home.folder.path
        try home.write("// swift-tools-version: 6.0\n", "Package.swift")
        try home.write(source, "\(folder)/a.swift")
        #expect(home.shell.run("setup", "-y", "swift").status == 0)
        return home.text("\(folder)/ReexportSecurity.swift")
    }

    @Test(
        "Code is known that Foundation brings Security to on a Mac",
        arguments: [
            "let a = CFGetTypeID(b)", "let a = c as CFDictionary", "let a = kCFBooleanTrue",
            "let a = SecRandomCopyBytes",
            "#if canImport(Security)\nlet a = SecRandomCopyBytes\n#endif",
            "#if !os(Linux)\n#else\nlet a = SecKeyCreateSignature\n#endif",
            "#if os(macOS) || DEBUG\nlet a = kSecClass\n#endif", "let a = \"https://a\" // b\nlet b = kSecClass",
        ])
    func swiftRecognised(source: String) throws {
        #expect(try exported("import Foundation\n\(source)\n")?.contains("@_exported import Security") == true)
    }

    @Test(
        "Code is left alone that has it already, or is not built on Linux",
        arguments: [
            "import CoreFoundation\nlet a = CFGetTypeID(b)", "let a = CFRunLoopGetMain()", "let a = 1 // kSecClass",
            "#if os(macOS) && DEBUG\nlet a = kSecClass\n#endif",
            "#if canImport(Darwin)\nlet a = kSecClass\n#elseif os(Linux)\n#endif",
            "import struct Security.SecPadding\nlet a = kSecClass",
            "#if canImport(Security)\nimport Security // here too\n#endif\nlet a = kSecClass",
            "let a = CFStringency()", "#if os(Linux)\nlet a = 1\n#else\nlet a = autoreleasepool { kSecClass }\n#endif",
        ])
    func swiftLeftAlone(source: String) throws {
        #expect(try exported("import Foundation\n\(source)\n") == nil)
    }

    @Test("AppleCompat comes where Foundation on Linux lacks a name, with Security or without")
    func swiftCompat() throws {
        let alone = try exported("import Security\nlet a: NSException? = nil\n")
        #expect(alone?.contains("import AppleCompat") == true && alone?.contains("import Security") == false)
        let both = try exported("import Foundation\nfunc a() { autoreleasepool { _ = kSecClass } }\n")
        #expect(both?.contains("import AppleCompat") == true && both?.contains("import Security") == true)
        #expect(try exported("import AppleCompat\nlet a: NSException? = nil\n") == nil)
    }

    @Test("A test that imports a target with such a file needs none; one that does not gets its own")
    func swiftTests() throws {
        var home = try Home()
        home.shell.environment["PWD"] = home.folder.path
        try home.write("let package = Package(targets: [.testTarget(name: \"UsesTests\")])\n", "Package.swift")
        try home.write("import Foundation\nlet a = kSecClass\n", "Sources/Uses/a.swift")
        try home.write("@testable import Uses\nlet a = kSecClass\n", "Tests/UsesTests/a.swift")
        try home.write("import Foundation\nlet a = kSecClass\n", "Tests/OtherTests/a.swift")
        try home.write("import XCTest\nlet a = kSecClass\n", "Tests/LinuxMain.swift")
        try home.write("import XCTest\nlet a = kSecClass\n", "Tests/XCTestManifests.swift")
        #expect(home.shell.run("setup", "-y", "swift").status == 0)
        for (folder, gets) in [
            ("Sources/Uses", true), ("Tests/UsesTests", false), ("Tests/OtherTests", true), ("Tests", false),
        ] {
            #expect((home.text("\(folder)/ReexportSecurity.swift") != nil) == gets, "\(folder)")
        }
        #expect(home.shell.run("setup", "-y", "swift").text == "security: nothing has to be changed\n")
        #expect(home.shell.run("setup", "-u", "-y", "swift").status == 0)
        #expect(home.text("Sources/Uses/ReexportSecurity.swift") == nil)
    }

    @Test("A target whose sources lie in folders without names of their own gets one file")
    func swiftFolders() throws {
        var home = try Home()
        home.shell.environment["PWD"] = home.folder.path
        try home.write("let package = Package(targets: [.target(name: \"one\")])\n", "Package.swift")
        try home.write("let a = kSecClass\n", "Sources/a.swift")
        try home.write("let b = kSecClass\n", "Sources/Models/b.swift")
        #expect(home.shell.run("setup", "-y", "swift").status == 0)
        #expect(home.text("Sources/ReexportSecurity.swift") != nil)
        #expect(home.text("Sources/Models/ReexportSecurity.swift") == nil)
    }

    @Test(
        "On demand the targets that use Security depend on the installed SDK; undo leaves what was there, byte for byte"
    )
    func swiftSystemLibrary() throws {
        var home = try Home()
        home.shell.environment["PWD"] = home.folder.path
        let manifest = """
            let package = Package(
                name: "p", dependencies: [.package(path: "../other")],
                targets: [.target(name: "Uses"), .target(name: "Else", path: "Library")])

            """
        try home.write(manifest, "Package.swift")
        try home.write("import Security\n", "Sources/Uses/a.swift")
        try home.write("let a = 1\n", "Sources/Neither/a.swift")
        try home.write("let a = kSecClass\n", "Library/a.swift")
        #expect(home.shell.run("setup", "-y", "swift").status == 0)
        #expect(home.text("Package.swift") == manifest)
        #expect(home.shell.run("setup", "-l", "-y", "swift").status == 0)
        let after = try #require(home.text("Package.swift"))
        #expect(after.hasPrefix(manifest) && after.contains(#"pkgConfig: "swift-security""#))
        #expect(after.contains(#"where ["Library", "Uses"].contains(target.path ?? target.name) {"#))
        #expect(home.text("SwiftSecurity/module.modulemap")?.contains("module SwiftSecurity {}") == true)
        #expect(home.text("Library/ReexportSecurity.swift") != nil)
        #expect(home.shell.run("setup", "-l", "-y", "swift").text == "security: nothing has to be changed\n")
        #expect(home.shell.run("setup", "-u", "-y", "swift").status == 0)
        #expect(home.text("Package.swift") == manifest && home.text("SwiftSecurity/module.modulemap") == nil)
        #expect(home.text("Library/ReexportSecurity.swift") == nil)
    }

    @Test("A manifest without the variable that others have is left to its owner")
    func swiftManifestByHand() throws {
        var home = try Home()
        home.shell.environment["PWD"] = home.folder.path
        try home.write("let p = Package(name: \"p\")\n", "Package.swift")
        try home.write("import Security\n", "Sources/Uses/a.swift")
        let outcome = home.shell.run("setup", "-l", "-y", "swift")
        #expect(outcome.status == 1 && outcome.errors.contains("no variable with the name package"))
        #expect(home.text("Package.swift") == "let p = Package(name: \"p\")\n")
    }

    @Test("A package of one target, whose sources have no folder of their own, gets the SDK as a whole")
    func swiftSingleTarget() throws {
        var home = try Home()
        home.shell.environment["PWD"] = home.folder.path
        try home.write("let package = Package(name: \"p\")\n", "Package.swift")
        try home.write("import LocalAuthentication\n", "Sources/a.swift")
        #expect(home.shell.run("setup", "-l", "-y", "swift").status == 0)
        #expect(
            home.text("Package.swift")?.contains("where [.regular, .executable, .test].contains(target.type) {") == true
        )
    }

    @Test("Outside of a package there is nothing to set up")
    func notAPackage() throws {
        var home = try Home()
        home.shell.environment["PWD"] = home.folder.path
        #expect(home.shell.run("setup", "-y", "swift").status == 1)
    }

    @Test("What it is to set up is one of three")
    func unknown() throws {
        let home = try Home()
        #expect(home.shell.run("setup", "subversion").status == 2)
        #expect(home.shell.run("setup").status == 2)
    }

    @Test("JSON has the files and their differences")
    func json() throws {
        let home = try Home(programs: ["git-credential-keychain"])
        let outcome = home.shell.run("setup", "--json", "-n", "git")
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("{\"done\":false,\"changes\":[{\"path\":\"\(home.folder.path)/.gitconfig\""))
    }
}

/// Differences of texts.
@Suite("Differences")
struct TextDifferenceTests {
    @Test("Equal texts have none")
    func equal() { #expect(TextDifference("a\nb\n", "a\nb\n").lines.isEmpty) }

    @Test("A change in the middle is shown with three lines around it")
    func middle() {
        let before = (1...9).map { "\($0)\n" }.joined()
        let lines = TextDifference(before, before.replacing("5\n", with: "five\nsix\n")).lines
        #expect(lines == ["@@ -2,7 +2,8 @@", " 2", " 3", " 4", "-5", "+five", "+six", " 6", " 7", " 8"])
    }

    @Test("A new file comes whole")
    func new() { #expect(TextDifference("", "a\n").lines == ["@@ -0,0 +1,1 @@", "+a"]) }

    @Test("Repeated lines are not counted twice")
    func repeated() { #expect(TextDifference("a\na\n", "a\n").lines == ["@@ -1,2 +1,1 @@", " a", "-a"]) }
}
