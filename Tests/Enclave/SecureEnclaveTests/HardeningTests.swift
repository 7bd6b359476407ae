import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

@testable import enclaved

/// Each measure by which keychain-enclaved closes itself, looked at from outside on the running program.
struct HardeningTests {
    let device = TestDevice()

    private static func fields(_ path: String) throws -> [String: String] {
        let text = try FileDescriptor.open(path, O_RDONLY).readText(1 << 16)
        let lines = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
        return Dictionary(
            uniqueKeysWithValues: lines.filter { $0.count == 2 }.map {
                (String($0[0]), $0[1].split(whereSeparator: \.isWhitespace).joined(separator: " "))
            })
    }

    @Test(
        "no new privileges and the filter of system calls hold for every thread: slots, socket, agent and clock",
        .enabled(if: !Sanitizer.isActive, "a sanitizer has a thread of its own"))
    func threads() throws {
        let connection = try EnclaveProgram.start(device)
        let process = try #require(connection.process).identifier
        let status = try Self.fields("/proc/\(process)/status")
        let count = EnclaveChannelFormat.slots + EnclaveChannelFormat.promptSlots + 3
        #expect(status["Threads"] == "\(count)")
        let slots = try Self.children(of: "/proc/\(process)/task")
        #expect(slots.count == count)
        for thread in slots {
            let status = try Self.fields("/proc/\(process)/task/\(thread)/status")
            #expect(status["NoNewPrivs"] == "1")
            #expect(status["Seccomp"] == "2")
        }
    }

    @Test(
        "memory is locked, and no core file is written",
        .enabled(if: !Sanitizer.isActive, "a sanitizer does not lock memory"))
    func memory() throws {
        let connection = try EnclaveProgram.start(device)
        let process = try #require(connection.process).identifier
        let locked = try #require(try Self.fields("/proc/\(process)/status")["VmLck"]?.split(separator: " ").first)
        #expect(try #require(Int(locked)) > 0)
        let limits = try FileDescriptor.open("/proc/\(process)/limits", O_RDONLY).readText(1 << 16)
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(whereSeparator: \.isWhitespace).dropFirst(4).prefix(2) == ["0", "0"])
    }

    @Test(
        "the enclave inherits no environment and no descriptor but its channel",
        .enabled(if: geteuid() == 0, "only root can look into a process that cannot be traced"))
    func inheritance() throws {
        let foreign = try FileDescriptor.open("/etc/hostname", O_RDONLY)
        #expect(fcntl(foreign.number, F_SETFD, 0) == 0)
        let connection = try EnclaveProgram.start(device)
        let process = try #require(connection.process).identifier
        // A debug build hears the wish of the runner of the tests, and nothing else.
        let heard = TestSwitch.cheapPasscodes ? "KEYCHAIN_TEST_PASSCODES=cheap\0" : ""
        #expect(try FileDescriptor.open("/proc/\(process)/environ", O_RDONLY).readText(100) == heard)
        let status = try FileStatus(of: foreign)
        for number in try Self.children(of: "/proc/\(process)/fd") {
            let inherited = try FileStatus(at: "/proc/\(process)/fd/\(number)")
            #expect(inherited?.isSameFile(as: status) == false, "descriptor \(number)")
        }
    }

    private static func children(of folder: String) throws -> [String] {
        guard let stream = unsafe opendir(folder) else { throw SystemError(code: errno, call: "opendir") }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) { unsafe String(cString: $0) }
            names.append(name)
        }
        return names.filter { !$0.hasPrefix(".") }
    }

    @Test("another process of the same user can neither trace the enclave nor read its memory")
    func untraceable() async throws {
        await #expect(processExitsWith: .success) {
            // Root may do everything, so this is tried as nobody. The files of /proc stand for ptrace(2): the kernel
            // asks the same question for all of them.
            let place = try TemporaryDirectory()
            let program = try EnclaveProgram.copy(into: place)
            if geteuid() == 0 {
                let folder = try FileDescriptor.open(place.path, O_RDONLY | O_DIRECTORY)
                try #require(fchown(folder.number, 65534, 65534) == 0)
                try #require(setgid(65534) == 0 && setuid(65534) == 0)
            }
            let device = TestDevice()
            let connection = try EnclaveProcess.start(executable: program, vault: device.vault, createIfMissing: true)
            let process = try #require(connection.process).identifier
            try #require(
                code { () throws(SystemError) in
                    _ = try FileDescriptor.open("/proc/\(process)/mem", O_RDONLY)
                } == EACCES)
            try #require(
                code { () throws(SystemError) in
                    _ = try FileDescriptor.open("/proc/\(process)/maps", O_RDONLY)
                } == EACCES)
        }
    }
}

/// The filter itself, in a process that has installed it.
@Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer makes system calls of its own"))
struct SandboxTests {
    let device = TestDevice()
    let other = TestDevice()

    @Test("behind the filter there is no way to a network, a program, a thread or another process")
    func refused() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let (socket, _) = try UnixSocket.pair()
            try Sandbox.install()
            try SandboxTests.expectNoNetwork(socket.descriptor.number)
            try SandboxTests.expectNoPrograms()
            try SandboxTests.expectNoExecutableMemory()
            _exit(42)
        }
    }

    private static func expectNoNetwork(_ socket: CInt) throws {
        for family in [AF_INET, AF_INET6, AF_UNIX, AF_NETLINK] {
            try expectRefused(Glibc.socket(family, CInt(SOCK_STREAM.rawValue), 0))
        }
        var address = sockaddr()
        try expectRefused(unsafe connect(socket, &address, 2))
        try expectRefused(unsafe bind(socket, &address, 2))
        try expectRefused(listen(socket, 1))
    }

    private static func expectNoPrograms() throws {
        try expectRefused(kill(getpid(), 0))
        try expectRefused(setuid(getuid()))
        try expectRefused(unsafe chdir("/"))
        try expectRefused(unsafe execv("/bin/true", [nil]))
        try #require(code { () throws(SystemError) in _ = try Thread(named: "more") {} } != nil)
    }

    private static func expectNoExecutableMemory() throws {
        let memory = unsafe mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        try #require(unsafe memory == MAP_FAILED)
        let plain = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        try expectRefused(unsafe mprotect(plain, 4096, PROT_READ | PROT_EXEC))
    }

    private static func expectRefused(_ result: CInt) throws {
        let code = errno
        try #require(result == -1)
        try #require(code == EPERM)
    }

    @Test("behind the filter the vault can still be read, locked and replaced")
    func allowed() async {
        await #expect(processExitsWith: .exitCode(42)) { [vault = device.vault as String] in
            let enclave = try SoftwareEnclave(vault: vault, createIfMissing: true, passcodeCost: .cheapest)
            let passcode = try TestDevice.passcode("1234")
            try Sandbox.install()
            try enclave.setPasscode(passcode)
            try enclave.lock()
            try enclave.unlock(passcode: passcode)
            _exit(42)
        }
    }

    @Test("where the kernel knows Landlock, only the vault's folder is left of the file system")
    func files() async throws {
        try AtomicFile.replace(other.vault, with: [1].span)
        await #expect(processExitsWith: .exitCode(42)) {
            [folder = device.folder.path as String, other = other.vault as String] in
            try ProcessHardening.forbidNewPrivileges()
            let isRestricted = try FileSystemRestriction.apply(only: [.init(folder, .replacing)])
            try AtomicFile.replace("\(folder)/file", with: [1].span)
            try #require(try AtomicFile.read("\(folder)/file", limit: 1) == [1])
            let denied = code { () throws(SystemError) in _ = try AtomicFile.read(other, limit: 1) }
            try #require(denied == (isRestricted ? EACCES : nil))
            let writing = code { () throws(SystemError) in try AtomicFile.replace(other, with: [2].span) }
            try #require(writing == (isRestricted ? EACCES : nil))
            _exit(42)
        }
    }
}
