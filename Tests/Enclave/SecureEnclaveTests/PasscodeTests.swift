import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

struct PasscodeTests {
    let device = TestDevice()

    @Test("setting, changing and removing the passcode wraps the keybag anew and no item")
    func itemsStay() throws {
        var enclave = try device.start()
        let rows = try Accessibility.allCases.dropLast().map { accessibility throws(Refusal) in
            try TestRow(accessibility, in: enclave)
        }
        func expectOpen() throws {
            for row in rows {
                let answers = try enclave.unwrap([row.record])
                #expect(answers.outcomes == [.opened])
                #expect(answers.keys[0].isEqual(to: row.key))
            }
        }
        try enclave.setPasscode(TestDevice.passcode("old"))
        try expectOpen()
        try enclave.changePasscode(from: TestDevice.passcode("old"), to: TestDevice.passcode("new"))
        enclave = try device.start()
        try enclave.unlock(passcode: TestDevice.passcode("new"))
        try expectOpen()
        try enclave.removePasscode(TestDevice.passcode("new"))
        enclave = try device.start()
        try expectOpen()
    }

    @Test(
        "only the present passcode unlocks; a wrong one is errSecAuthFailed and costs a try", arguments: [true, false])
    func wrongPasscode(_ afterFirstUnlock: Bool) throws {
        let enclave = try device.start(passcode: "right")
        if afterFirstUnlock {
            try enclave.unlock(passcode: TestDevice.passcode("right"))
            try enclave.lock()
        }
        for (count, wrong) in ["wrong", "righ", "right ", "Right"].enumerated() {
            let refused = refusal { try enclave.unlock(passcode: TestDevice.passcode(wrong)) }
            #expect(refused?.status == .authFailed)
            #expect(refused?.rule == .wrongPasscode)
            #expect(try enclave.status().failedAttempts == UInt32(count + 1))
            #expect(try enclave.status().lockState == (afterFirstUnlock ? .locked : .beforeFirstUnlock))
        }
        try enclave.unlock(passcode: TestDevice.passcode("right"))
        #expect(try enclave.status().lockState == .unlocked)
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test("a wrong old passcode neither changes nor removes the passcode, and costs a try")
    func wrongOldPasscode() throws {
        let enclave = try device.start(passcode: "right")
        let changing = refusal {
            try enclave.changePasscode(from: TestDevice.passcode("wrong"), to: TestDevice.passcode("new"))
        }
        let removing = refusal { try enclave.removePasscode(TestDevice.passcode("wrong")) }
        #expect(changing?.rule == .wrongPasscode)
        #expect(removing?.rule == .wrongPasscode)
        #expect(try enclave.status().failedAttempts == 2)
        try device.start().unlock(passcode: TestDevice.passcode("right"))
    }

    @Test("a passcode is not set over another, and without one there is none to change or remove")
    func wrongState() throws {
        let enclave = try device.start()
        let changing = refusal {
            try enclave.changePasscode(from: TestDevice.passcode("1"), to: TestDevice.passcode("2"))
        }
        let removing = refusal { try enclave.removePasscode(TestDevice.passcode("1")) }
        #expect(changing?.rule == .passcodeNotSet)
        #expect(removing?.rule == .passcodeNotSet)
        try enclave.setPasscode(TestDevice.passcode("1"))
        let setting = refusal { try enclave.setPasscode(TestDevice.passcode("2")) }
        #expect(setting?.status == .authFailed)
        try device.start().unlock(passcode: TestDevice.passcode("1"))
    }

    @Test("without a passcode unlocking succeeds, for nothing is closed", .rule("protection.passcode.none"))
    func unlockWithoutPasscode() throws {
        let enclave = try device.start()
        try enclave.unlock(passcode: TestDevice.passcode("anything"))
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test("a passcode has 1 to 1024 bytes of any kind", arguments: [1, 4, 1024])
    func sizes(_ size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let enclave = try device.start()
        try enclave.setPasscode(TestDevice.passcode(bytes))
        try device.start().unlock(passcode: TestDevice.passcode(bytes))
    }

    @Test("a passcode that is empty or too long is errSecParam, and nothing changes", arguments: [0, 1025, 100_000])
    func wrongSizes(_ size: Int) throws {
        let enclave = try device.start()
        let bytes = [UInt8](repeating: 7, count: size)
        #expect(refusal { try enclave.setPasscode(TestDevice.passcode(bytes)) }?.status == .param)
        #expect(try !enclave.status().passcodeIsSet)
        try enclave.setPasscode(TestDevice.passcode("right"))
        let before = try device.content()
        for refused in [
            refusal { try enclave.unlock(passcode: TestDevice.passcode(bytes)) },
            refusal { try enclave.changePasscode(from: TestDevice.passcode("right"), to: TestDevice.passcode(bytes)) },
            refusal { try enclave.removePasscode(TestDevice.passcode(bytes)) },
        ] { #expect(refused?.status == .param) }
        #expect(try device.content() == before)
    }

    @Test("a passcode comes through a pipe as well, in as many pieces as its writer likes")
    func pipe() throws {
        let enclave = try device.start(passcode: "right")
        try enclave.unlock(passcode: Self.pipe(of: "right"))
        #expect(try enclave.status().lockState == .unlocked)
    }

    /// The pipe's writer lives in the thread only, and is closed when that ends.
    private static func pipe(of passcode: String) throws -> FileDescriptor {
        let (reader, writer) = try FileDescriptor.pipe()
        _ = try Thread(named: "writer") {
            for byte in passcode.utf8 { try? writer.writeFully([byte].span) }
        }
        return reader
    }

    @Test("the same descriptor can be read again, wherever its sender left its position")
    func position() throws {
        let enclave = try device.start(passcode: "right")
        let passcode = try TestDevice.passcode("right")
        lseek(passcode.number, 3, SEEK_SET)
        try enclave.unlock(passcode: passcode)
        try enclave.unlock(passcode: passcode)
    }

    @Test("a file that is neither a sealed memory file nor a pipe is not read")
    func otherFiles() throws {
        let enclave = try device.start(passcode: "right")
        for path in [device.vault, "/dev/zero", "/tmp"] {
            let refused = refusal { try enclave.unlock(passcode: FileDescriptor.open(path, O_RDONLY)) }
            #expect(refused?.status == .param, "\(path)")
        }
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test("nobody can change or resize a passcode's memory file")
    func sealed() throws {
        let file = try TestDevice.passcode("right")
        #expect(unsafe pwrite(file.number, "x", 1, 0) == -1)
        #expect(errno == EPERM)
        #expect(ftruncate(file.number, 0) == -1)
        #expect(try FileStatus(of: file).size == 5)
    }
}
