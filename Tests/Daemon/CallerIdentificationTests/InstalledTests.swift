import CallerIdentification
import Glibc
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@Suite("Entitlements that root has installed")
struct InstalledTests {
    private let directory: TemporaryDirectory
    private let folder: String
    private let trust: TrustedFiles

    init() throws {
        directory = try TemporaryDirectory()
        folder = directory.file("entitlements.d")
        unsafe mkdir(folder, 0o755)
        trust = TrustedFiles(owner: CurrentProcess.user, below: directory.path)
        _ = try Files.makeFile(in: directory, name: "program")
    }

    private func install(_ keys: String, as name: String = "a.plist", mode: UInt32 = 0o644) throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>\(keys)
            <key>keychain-access-groups</key><array><string>SHARED</string><string>OWN</string></array>
            </dict></plist>
            """
        try AtomicFile.replace("\(folder)/\(name)", with: Array(text.utf8).span, mode: mode)
    }

    private func program(_ path: String) -> String { "<key>keychain-executable</key><string>\(path)</string>" }

    private func read() -> InstalledEntitlements {
        EntitlementFolders([directory.file("none"), folder], trust: trust, interval: 0).read()
    }

    @Test("A file gives its groups, in their order, to the program it names, also by a symbolic link")
    func gives() throws {
        unsafe symlink(directory.file("program"), directory.file("link"))
        try install(program(directory.file("link")))
        let installed = read()
        let found = try #require(installed.programs[ExactText(directory.file("program"))])
        #expect(found.granted == GrantedGroups(["SHARED", "OWN"]) && found.file == "\(folder)/a.plist")
        #expect(installed.problems.isEmpty && installed.programs.count == 1)
    }

    @Test("It may ask for the anchor")
    func anchor() throws {
        try install(program(directory.file("program")) + "<key>keychain-requires-anchor</key><true/>")
        #expect(read().programs[ExactText(directory.file("program"))]?.granted.requiresAnchor == true)
    }

    @Test("A script is entitled with its interpreter, and never for the anchored")
    func script() throws {
        try AtomicFile.replace(directory.file("tool"), with: Array("#!/bin/sh -e\n".utf8).span, mode: 0o755)
        let keys = """
            <key>keychain-script</key><string>\(directory.file("tool"))</string>
            <key>keychain-interpreter</key><string>\(directory.file("program"))</string>
            """
        try install(keys)
        try install(keys + "<key>keychain-requires-anchor</key><true/>", as: "b.plist")
        let installed = read()
        let script = try #require(installed.scripts[ExactText(directory.file("program"))]?.first)
        #expect(script.path == directory.file("tool") && script.option == "-e")
        #expect(installed.problems.count == 1 && installed.problems.first?.contains("never anchored") == true)
    }

    @Test("What says nothing or too much about its program is left out, with a reason")
    func malformed() throws {
        let path = directory.file("program")
        let bad = [
            "", program("program"), program(directory.file("missing")),
            program(path) + "<key>keychain-script</key><string>\(path)</string>"
                + "<key>keychain-interpreter</key><string>\(path)</string>",
            "<key>keychain-script</key><string>\(path)</string>", program(directory.path),
        ]
        for keys in bad {
            try install(keys)
            let installed = read()
            #expect(installed.programs.isEmpty && installed.scripts.isEmpty && installed.problems.count == 1)
        }
        try AtomicFile.replace("\(folder)/a.plist", with: Array("<plist><dict/>".utf8).span)
        #expect(read().problems.count == 1)
    }

    @Test("A file that others may write counts for nothing, nor does one whose program or folder they may write")
    func writable() throws {
        let path = directory.file("program")
        try install(program(path), mode: 0o664)
        #expect(read().programs.isEmpty && read().problems.count == 1)
        try install(program(path))
        unsafe chmod(path, 0o775)
        #expect(read().programs.isEmpty && read().problems.count == 1)
        unsafe chmod(path, 0o755)
        unsafe chmod(folder, 0o775)
        #expect(read().programs.isEmpty && read().problems.count == 1)
        // In a sticky folder nobody takes away what is another's.
        unsafe chmod(folder, 0o1777)
        #expect(read().programs.count == 1)
    }

    @Test(
        "Another owner's file counts for nothing, and neither does another owner's program",
        .enabled(if: Files.mayGiveAway))
    func owner() throws {
        let path = directory.file("program")
        try install(program(path))
        unsafe chown("\(folder)/a.plist", 1000, 1000)
        #expect(read().programs.isEmpty)
        unsafe chown("\(folder)/a.plist", 0, 0)
        #expect(read().programs.count == 1)
        unsafe chown(path, 1000, 1000)
        #expect(read().programs.isEmpty)
        unsafe chown(path, 0, 0)
        unsafe chown(folder, 1000, 1000)
        #expect(read().programs.isEmpty)
    }

    @Test("Symbolic links among the entitlements lead to files that are checked where they lie")
    func links() throws {
        try install(program(directory.file("program")), as: "real")
        unsafe mkdir(directory.file("open"), 0o777)
        unsafe chmod(directory.file("open"), 0o777)
        unsafe rename("\(folder)/real", directory.file("open/real"))
        unsafe symlink(directory.file("open/real"), "\(folder)/a.plist")
        #expect(read().programs.isEmpty && read().problems.count == 1)
    }

    @Test("Other names than *.plist, and hidden ones, are nobody's entitlements")
    func names() throws {
        for name in ["a.plist~", "a", ".a.plist", "a.plist.dpkg-new"] {
            try install(program(directory.file("program")), as: name)
        }
        #expect(read().programs.isEmpty && read().problems.isEmpty)
    }

    @Test("The folder before another one decides, and in a folder the name that comes first")
    func precedence() throws {
        try install(program(directory.file("program")), as: "b.plist")
        try install(program(directory.file("program")), as: "a.plist")
        #expect(read().programs[ExactText(directory.file("program"))]?.file == "\(folder)/a.plist")
    }

    @Test("A change of the folder is noticed at the next look; without one nothing is read again")
    func changes() throws {
        let folders = EntitlementFolders([folder], trust: trust, interval: 0)
        #expect(folders.known == nil)
        #expect(folders.read().programs.isEmpty)
        #expect(folders.known?.programs.isEmpty == true)
        try install(program(directory.file("program")))
        #expect(folders.known == nil)
        #expect(folders.read().programs.count == 1)
        unsafe unlink("\(folder)/a.plist")
        #expect(folders.known == nil)
        #expect(folders.read().programs.isEmpty)
    }
}
