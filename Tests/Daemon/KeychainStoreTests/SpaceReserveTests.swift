import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Space that is kept for deleting")
struct SpaceReserveTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("keychain.db-reserve")
    }

    private func expectReserve() throws {
        SpaceReserve(besides: directory.file("keychain.db")).keep()
        let file = try #require(try FileStatus(ofLink: path))
        #expect(file.isRegularFile && file.links == 1 && file.size == SpaceReserve.size)
    }

    @Test("A pipe in its place is removed and not waited for")
    func pipe() throws {
        #expect(unsafe mkfifo(path, 0o600) == 0)
        try expectReserve()
    }

    @Test(
        "A file with another name is neither made longer nor taken for the reserve", arguments: [5, SpaceReserve.size])
    func otherName(_ size: Int) throws {
        let other = directory.file("vault")
        try AtomicFile.replace(other, with: [UInt8](repeating: 7, count: size).span)
        #expect(unsafe link(other, path) == 0)
        try expectReserve()
        #expect(try FileStatus(at: other)?.size == size)
    }

    @Test("A symbolic link is removed, and what it leads to stays as it is")
    func symbolicLink() throws {
        let other = directory.file("vault")
        try AtomicFile.replace(other, with: [7, 7].span)
        #expect(unsafe symlink(other, path) == 0)
        try expectReserve()
        #expect(try FileStatus(at: other)?.size == 2)
    }

    @Test("A file of another length is made anew, and one that is right stays")
    func otherLength() throws {
        try AtomicFile.replace(path, with: [7, 7].span)
        try expectReserve()
        let inode = try FileStatus(at: path)?.inode
        try expectReserve()
        #expect(try FileStatus(at: path)?.inode == inode)
    }
}
