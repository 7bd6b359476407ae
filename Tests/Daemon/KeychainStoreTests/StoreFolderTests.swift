import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("The folder of a store")
struct StoreFolderTests {
    @Test("A folder that was deleted while its daemon began does not come back")
    func deleted() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.file("deleted")
        let refusal = #expect(throws: Refusal.self) {
            _ = try ItemStore(folder: folder, prefersExclusive: true, makesFolder: false)
        }
        #expect(refusal?.status == .notAvailable && refusal?.problem.contains("No such file") == true)
        #expect(try FileStatus(at: folder) == nil)
    }
}
