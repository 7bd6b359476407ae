import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("The password store of pass")
struct PasswordStoreTests {
    @Test("A gpg that does not end is ended, and asked for no other file")
    func silentProgram() throws {
        let folder = try TemporaryDirectory()
        let script = "#!/bin/sh\necho begun >> \(folder.path)/begun\nexec /bin/sleep 1000\n"
        try AtomicFile.replace("\(folder.path)/gpg", with: Array(script.utf8).span, mode: 0o700)
        try PrivateDirectory.ensure("\(folder.path)/store")
        for name in ["one", "two"] {
            try AtomicFile.replace("\(folder.path)/store/\(name).gpg", with: [UInt8]().span)
        }
        var shell = Shell()
        shell.environment = ["PATH": folder.path]
        let session = shell.session(input: Shell.file(), output: Shell.file(), diagnostics: Shell.file())
        let failure = #expect(throws: CommandFailure.self) {
            _ = try PasswordStore.logins(in: "\(folder.path)/store", session, patience: 1)
        }
        #expect(failure?.explanation.cause.contains("It has worked on one for") == true)
        let begun = (try? AtomicFile.read("\(folder.path)/begun", limit: 1000)) ?? []
        #expect(begun.count { $0 == 10 } <= 1)
    }
}
