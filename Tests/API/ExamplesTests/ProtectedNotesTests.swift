import Foundation
import KeychainExamples
import KeychainTesting
import Testing

@Suite("Notes in protected files")
struct ProtectedNotesTests {
    @Test("A note is read while the device is unlocked, and a large file is taken over")
    func notes() async throws {
        let keychain = try TestKeychain()
        try keychain.device.setPasscode("1234")
        let notes = ProtectedNotes(folder: keychain.folder)
        let file = keychain.folder.appending(path: "large")
        try Data(count: 3_000_000).write(to: file)
        try await keychain.run {
            try notes.write("nobody else's", to: "note")
            #expect(try notes.read("note") == "nobody else's")
            try notes.protect(file)
            #expect(try Data(contentsOf: file).starts(with: [0x89, 0x4B, 0x43, 0x46]))
            #expect(try await notes.size(of: file) == 3_000_000)
            try keychain.device.lock()
            #expect(try notes.read("note") == nil)
        }
    }
}
