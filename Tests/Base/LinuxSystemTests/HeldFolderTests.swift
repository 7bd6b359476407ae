import Glibc
import TestSupport
import Testing

@testable import LinuxSystem

@Suite("Folders that are held open")
struct HeldFolderTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test("A file is created with its content and permissions, and only where the name is free")
    func creates() throws {
        let folder = try HeldFolder(directory.path)
        #expect(try folder.create("a", with: [1, 2].span, mode: 0o640))
        #expect(try !folder.create("a", with: [3].span))
        #expect(try folder.content(of: "a", limit: 2) == [1, 2])
        #expect(try FileStatus(at: directory.file("a"))?.mode == S_IFREG | 0o640)
        #expect(directory.names == ["a"])
        #expect(throws: SystemError.self) { try folder.content(of: "a", limit: 1) }
    }

    @Test("A folder stays the same when another one gets its name")
    func stays() throws {
        let folder = try HeldFolder(directory.path).makeFolder("a")
        #expect(unsafe rename(directory.file("a"), directory.file("b")) == 0)
        _ = try HeldFolder(directory.path).makeFolder("a")
        #expect(try folder.create("x", with: [1].span))
        #expect(try HeldFolder(directory.path).folder("b")?.content(of: "x", limit: 1) == [1])
        #expect(try HeldFolder(directory.path).folder("a")?.content(of: "x", limit: 1) == nil)
    }

    @Test("A folder with more names than are wanted is an error with its reason")
    func tooManyNames() throws {
        let folder = try HeldFolder(directory.path)
        for name in ["b", "a"] { _ = try folder.create(name, with: Array(name.utf8).span) }
        #expect(try folder.names(atMost: 2) == ["a", "b"])
        #expect(throws: SystemError.self) { try folder.names(atMost: 1) }
    }

    @Test("A rename takes no name that is taken")
    func renames() throws {
        for name in ["a", "b"] { _ = try HeldFolder(directory.path).create(name, with: Array(name.utf8).span) }
        let from = Array(directory.file("a").utf8CString)
        #expect(throws: SystemError(code: EEXIST, call: "renameat2")) {
            try NewFile.rename(from, to: directory.file("b"))
        }
        try NewFile.rename(from, to: directory.file("c"))
        #expect(directory.names == ["b", "c"])
    }

    @Test("A file that is still written stays, and one that nobody writes any more is a leftover")
    func leftovers() throws {
        let folder = try HeldFolder(directory.path)
        let written = try NewFile(namedIn: directory.path)
        let names = directory.names
        #expect(names.count == 1)
        _ = try FileDescriptor.open(directory.file(".new-aB3xY9"), O_WRONLY | O_CREAT)
        #expect(unsafe symlink("/nowhere", directory.file(".new-link00")) == 0)
        #expect(unsafe mkfifo(directory.file(".new-pipe00"), 0o600) == 0)
        try folder.removeLeftovers(atMost: 4)
        #expect(Set(directory.names) == Set(names + [".new-link00", ".new-pipe00"]))
        #expect(try written.publish(as: directory.file("a"), mode: 0o600))
        #expect(directory.names.contains("a"))
    }

    @Test("Changes of a folder are events until they are forgotten")
    func events() throws {
        let events = try FileEvents()
        try events.watch(directory.path, for: CInt(IN_CREATE))
        #expect(throws: SystemError(code: ETIMEDOUT, call: "poll")) {
            try events.descriptor.wait(for: .readable, deadline: .now)
        }
        _ = try HeldFolder(directory.path).makeFolder("a")
        try events.descriptor.wait(for: .readable, deadline: soon)
        try events.clear()
        #expect(throws: SystemError(code: ETIMEDOUT, call: "poll")) {
            try events.descriptor.wait(for: .readable, deadline: .now)
        }
    }
}
