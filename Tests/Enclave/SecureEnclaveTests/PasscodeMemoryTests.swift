import Glibc
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

@Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer keeps freed memory"))
struct PasscodeMemoryTests {
    @Test("a passcode is nowhere in memory once it has been looked at, and never in the vault")
    func passcode() async {
        await #expect(processExitsWith: .success) {
            let device = TestDevice()
            let passcode = Needle()
            let file = try PasscodeFile.make(passcode.secret())
            let enclave = try device.start()
            try enclave.setPasscode(file)
            try enclave.lock()
            try enclave.unlock(passcode: file)
            _ = refusal { try enclave.unlock(passcode: TestDevice.passcode("wrong")) }
            try #require(try passcode.occurrences() == 0)
            let vault = try device.content()
            var isInVault = false
            passcode.copy { secret in
                for start in 0..<vault.count - secret.count where !isInVault {
                    isInVault = (0..<secret.count).allSatisfy { vault[start + $0] == secret[$0] }
                }
            }
            try #require(!isInVault)
        }
    }
}
