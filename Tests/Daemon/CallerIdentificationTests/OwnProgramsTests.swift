import CallerIdentification
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

@Suite("The programs of the installation")
struct OwnProgramsTests {
    @Test("A program that was installed after the identifier began is known, and the one that it replaced no more")
    func upgrade() throws {
        let (own, other) = (try FileStatus(at: "/proc/self/exe"), try FileStatus(at: "/"))
        let command = Lock<FileStatus?>(nil)
        let identifier = CallerIdentifier(
            IdentityRules(.user(CurrentProcess.user)), folders: EntitlementFolders(["/none"]),
            refresh: { $0.inspector = command.withLock { $0 } })
        #expect(try !identifier.identifyThisProcess().mayInspectAllGroups)
        command.withLock { $0 = own }
        #expect(try identifier.identifyThisProcess().mayInspectAllGroups)
        command.withLock { $0 = other }
        #expect(try !identifier.identifyThisProcess().mayInspectAllGroups)
    }
}
