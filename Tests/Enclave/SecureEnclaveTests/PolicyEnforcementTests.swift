import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

@Suite("The enclave keeps to the administrator's policy")
struct PolicyEnforcementTests {
    private let device = TestDevice()

    private func policy(_ text: String) throws -> AdministratorPolicy {
        let path = device.folder.file("keychain.conf")
        try AtomicFile.replace(path, with: Array(text.utf8).span)
        return try .load(from: path, trusting: TrustedFiles(owner: CurrentProcess.user, below: device.folder.path))
    }

    private func start(_ text: String) throws -> SoftwareEnclave { try device.start(policy: try policy(text)) }

    @Test("A password that is too short is neither set nor changed to, and the one that is set holds")
    func minimumPasscode() throws {
        let enclave = try start("minimum-passcode = 6\n")
        let refused = refusal { try enclave.setPasscode(TestDevice.passcode("12345")) }
        #expect(refused?.rule == .administrator && refused?.problem.contains("keychain.conf") == true)
        #expect(try !enclave.status().passcodeIsSet)
        try enclave.setPasscode(TestDevice.passcode("123456"))
        #expect(
            refusal { try enclave.changePasscode(from: TestDevice.passcode("123456"), to: TestDevice.passcode("1")) }?
                .rule
                == .administrator)
        try enclave.unlock(passcode: TestDevice.passcode("123456"))
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test("A password is not removed where one must be long, and nothing that it guards goes")
    func removal() throws {
        let enclave = try start("minimum-passcode = 6\n")
        try enclave.setPasscode(TestDevice.passcode("123456"))
        #expect(refusal { try enclave.removePasscode(TestDevice.passcode("123456")) }?.rule == .administrator)
        #expect(try enclave.status().passcodeIsSet)
    }

    @Test("A password from before the policy opens as before")
    func oldPasscode() throws {
        do { try device.start().setPasscode(TestDevice.passcode("1")) }
        try start("minimum-passcode = 6\n").unlock(passcode: TestDevice.passcode("1"))
    }

    @Test(
        "It locks after the policy's time where the user's is longer or none, and settings that lock later are refused")
    func lockAfter() throws {
        do {
            let enclave = try device.start()
            try enclave.setPasscode(TestDevice.passcode("1"))
            try enclave.change(DeviceSettings(idleSeconds: 5000))
        }
        let enclave = try start("lock-after = 60\n")
        #expect(try enclave.details().settings.idleSeconds == 60)
        try enclave.unlock(passcode: TestDevice.passcode("1"))
        device.clock.advance(by: 59)
        #expect(try enclave.status().lockState == .unlocked)
        #expect(refusal { try enclave.change(DeviceSettings()) }?.rule == .administrator)
        try enclave.change(DeviceSettings(idleSeconds: 30))
        device.clock.advance(by: 61)
        #expect(try enclave.status().lockState == .locked)
    }

    @Test("It locks on sleep where the policy says so")
    func lockOnSleep() throws {
        let enclave = try start("lock-on-sleep = yes\n")
        try enclave.setPasscode(TestDevice.passcode("1"))
        enclave.sessionChanged(.goingToSleep)
        #expect(try enclave.status().lockState == .locked)
    }

    @Test("Without a TPM no vault is made where one is demanded, and one that is there opens")
    func requireTPM() throws {
        let refused = refusal { _ = try start("require-tpm = yes\n") }
        #expect(refused?.rule == .administrator && refused?.status == .notAvailable)
        #expect(try FileStatus(at: device.vault) == nil)
        do { _ = try device.start() }
        let enclave = try start("require-tpm = yes\n")
        #expect(
            refusal { try enclave.move(to: .software, passcode: TestDevice.passcode("-")) }?.rule == .administrator)
    }
}
