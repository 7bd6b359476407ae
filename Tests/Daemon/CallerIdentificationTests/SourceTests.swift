import CallerIdentification
import LinuxSystem
import TestSupport
import Testing

@Suite("What the kernel says of a process is read strictly")
struct SourceTests {
    @Test(
        "A process belongs to the system unit whose control group it is in",
        arguments: [
            ("0::/system.slice/web.service", "web.service"),
            ("0::/system.slice/web.service/worker", "web.service"),
            ("0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service"),
            ("0::/own.slice/web.service", "web.service"), ("0::/web.service", "web.service"),
            ("0::/system.slice/a\\x2db.service", "a\\x2db.service"),
            ("0::/system.slice/_cpu.service", "cpu.service"), ("0::/system.slice/__x.service", "_x.service"),
            ("12:cpu:/\n1:name=systemd:/system.slice/web.service\n0::/", "web.service"),
            ("1:name=systemd:/system.slice/a.service\n0::/system.slice/b.service", "a.service"),
        ])
    func unit(groups: String, name: String) { #expect(SystemUnit.group(in: groups)?.unit == name) }

    @Test(
        "Nobody who is not root can make a control group that looks like a system unit's",
        arguments: [
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/web.service",
            "0::/user.slice/user-1000.slice/session-1.scope", "0::/machine.slice/a.service",
            "0::/own.slice/user.slice/a.service", "0::/../system.slice/web.service", "0::/system.slice/../web.service",
            "0::/system.slice/..", "0::/", "0::", "", "0::system.slice/web.service", "0::/system.slice",
            "0::/system.slice/.service", "0::/system.slice/web.scope/x.service", "0::/system.slice/a b.service",
            "0::/system.slice/web.service2", "0::/docker/abc/system.slice/web.service",
            "12:cpu:/system.slice/web.service\n0::/",
            "1:name=systemd:/user.slice/user-1000.slice/x.service\n0::/system.slice/b.service",
            "0::/system.slice//web.service", "0::/system.slice/\(String(repeating: "a", count: 250)).service",
        ])
    func noUnit(groups: String) { #expect(SystemUnit.group(in: groups)?.unit == nil) }

    @Test("The first line of a script names its interpreter and one option")
    func scriptLine() throws {
        let directory = try TemporaryDirectory()
        func line(_ text: String) throws -> ScriptLine? {
            try AtomicFile.replace(directory.file("s"), with: Array(text.utf8).span)
            return ScriptLine(of: directory.file("s"))
        }
        #expect(try line("#!/bin/sh\n")?.interpreter == "/bin/sh")
        #expect(try line("#!/bin/sh\n")?.option == nil)
        #expect(try line("#! /usr/bin/env  -S  python3 -I \t\nx")?.option == "-S  python3 -I")
        for text in ["", "#!", "#!\n", "\u{7F}ELF", "# !/bin/sh"] { #expect(try line(text) == nil) }
        #expect(ScriptLine(of: directory.file("missing")) == nil)
    }

    @Test("The script is the interpreter's first word, after the option of its first line")
    func scriptWord() {
        func word(_ words: [String], option: String? = nil) -> String? {
            InstalledEntitlements.scriptWord(
                in: words, .init(file: "", path: "", option: option, granted: GrantedGroups([])))
        }
        #expect(word(["sh", "script", "x"]) == "script")
        #expect(word(["sh", "-I", "script"], option: "-I") == "script")
        #expect(word(["sh", "script"], option: "-I") == "script")
        for words in [["sh"], [], ["sh", "-c", "evil", "script"], ["sh", "-x", "script"], ["sh", "--", "script"]] {
            #expect(word(words) == nil)
        }
        #expect(word(["sh", "-I"], option: "-I") == nil)
        #expect(word(["sh", "-c", "script"], option: "-I") == nil)
    }

    @Test("A file system that a user's process serves is known as such, wherever it is mounted")
    func mounts() {
        let table = MountTable.servers(
            in: """
                36 35 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
                37 36 0:50 / /home/u/m rw,nosuid - fuse.sshfs host: rw,user_id=1000,group_id=1000
                38 36 0:51 / /mnt/n rw - fuseblk /dev/sdb1 rw,user_id=0,group_id=0
                39 36 0:52 / /run/x rw master:1 propagate_from:2 - tmpfs tmpfs rw
                40 36 0:50 / /srv rw - fuse.sshfs host: rw,user_id=1000
                broken line
                41 36 x:y / / rw - ext4 d rw
                """)
        #expect(table.count == 4)
        #expect(table[clinuxDevice(8, 1)] == .system && table[clinuxDevice(0, 52)] == .system)
        #expect(table[clinuxDevice(0, 50)] == .user && table[clinuxDevice(0, 51)] == .system)
    }

    /// A device's number, as the C library counts small ones.
    private func clinuxDevice(_ major: UInt64, _ minor: UInt64) -> UInt64 { major << 8 | minor }

    @Test("This process's own program lies on a file system that is known")
    func ownDevice() throws {
        let own = try ProcessView(CurrentProcess.identifier).executable()
        let mounts = MountTable()
        #expect(mounts.server(of: own.version.status.device) == .system)
        #expect(mounts.generation == mounts.generation)
    }
}
