import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// The state of the vault when writing it fails, or when the process ends in the middle.
struct CrashTests {
    @Test("a vault that cannot be written completely stays the old one, at whatever byte the disk is full")
    func diskFull() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let device = TestDevice()
            let (right, new) = (try TestDevice.passcode("right"), try TestDevice.passcode("new"))
            let enclave = try device.start()
            for isSet in [false, true] {
                let before = try device.content()
                for size in Array(stride(from: 0, to: 852, by: 37)) + [851] {
                    try CrashTests.limitFiles(to: size)
                    let refused =
                        isSet
                        ? [
                            refusal { try enclave.changePasscode(from: right, to: new) },
                            refusal { try enclave.removePasscode(right) },
                            refusal { try enclave.unlock(passcode: right) },
                        ] : [refusal { try enclave.setPasscode(right) }]
                    for refusal in refused { try #require(refusal?.status == .notAvailable) }
                    try CrashTests.limitFiles(to: nil)
                    try #require(try device.content() == before)
                }
                if !isSet { try enclave.setPasscode(right) }
            }
            try enclave.lock()
            try CrashTests.limitFiles(to: 0)
            // The attempt could not be counted, so the passcode was not looked at, right as it is.
            try #require(refusal { try enclave.unlock(passcode: right) }?.status == .notAvailable)
            try #require(try enclave.status().lockState == .locked)
            try #require(try enclave.status().failedAttempts == 0)
        }
    }

    private static func limitFiles(to size: Int?) throws {
        var limit = rlimit()
        try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        limit.rlim_cur = size.map(UInt.init) ?? limit.rlim_max
        try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    }

    @Test(
        "a process that is killed while it changes the passcode leaves the old vault or the new one", arguments: 0..<24)
    func killed(_ round: Int) async throws {
        let device = TestDevice()
        let row = try TestRow(.whenUnlocked, in: try device.start())
        await #expect(processExitsWith: .signal(SIGKILL)) { [vault = device.vault as String, round = round as Int] in
            let enclave = try SoftwareEnclave(
                vault: vault, createIfMissing: false, passcodeCost: .cheapest)
            _ = try Thread(named: "killer") {
                var random = SplitMix64(seed: UInt64(round))
                letPass(microseconds: UInt32(round) * 3000 + .random(in: 0..<3000, using: &random))
                kill(getpid(), SIGKILL)
            }
            let (one, two) = (try TestDevice.passcode("one"), try TestDevice.passcode("two"))
            while true {
                try enclave.setPasscode(one)
                try enclave.changePasscode(from: one, to: two)
                try enclave.removePasscode(two)
            }
        }
        let enclave = try device.start(createIfMissing: false)
        if try enclave.status().passcodeIsSet {
            let opening = ["one", "two"].filter { passcode in
                refusal { try enclave.unlock(passcode: TestDevice.passcode(passcode)) } == nil
            }
            #expect(opening.count == 1)
        }
        #expect(try enclave.outcome(of: row) == .opened)
    }
}
