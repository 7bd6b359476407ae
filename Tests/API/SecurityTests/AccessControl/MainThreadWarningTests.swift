import KeychainTesting
import Security
import Testing

/// A debug build warns of a prompt on the main thread.
@Suite("Asking from the main thread")
struct MainThreadWarningTests {
    @Test("A debug build says once that a call on the main thread waits for the user")
    func saidOnce() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await MainActor.run { try Self.askTwice() }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.split(separator: "this call waits for the user").count == 2)
    }

    @Test("On another thread, and for what needs nobody, nothing is said")
    func notSaid() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await Task.detached { try Self.askTwice() }.value
            try await MainActor.run {
                try TestKeychain().run {
                    add(genericPassword())
                    guard find(genericPassword()).status == errSecSuccess else { throw Unexpected() }
                }
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!text.contains("this call waits"))
    }

    private struct Unexpected: Error {}

    private static func askTwice() throws {
        let keychain = try TestKeychain()
        try keychain.device.setPasscode("1234")
        keychain.user.will(.passcode("1234"), .passcode("1234"))
        try keychain.run {
            add(guarded(.userPresence))
            for _ in 0..<2 where reading().data != Data("secret") { throw Unexpected() }
        }
    }
}
