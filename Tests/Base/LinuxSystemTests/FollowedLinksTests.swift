import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("The links on the way to a file")
struct FollowedLinksTests {
    private let folder: TemporaryDirectory
    private let top: String

    init() throws {
        folder = try TemporaryDirectory()
        top = try #require(SymbolicLink.resolve(folder.path))
        for name in ["a", "a/b"] { unsafe mkdir("\(top)/\(name)", 0o700) }
        try AtomicFile.replace("\(top)/a/b/file", with: [1].span)
        unsafe symlink("a/b", "\(top)/short")
        unsafe symlink("\(top)/short/../b/file", "\(top)/long")
        unsafe symlink("../long", "\(top)/a/up")
        unsafe symlink("loop", "\(top)/loop")
    }

    @Test(
        "all are named in their order, and the end is the kernel's",
        arguments: [
            ("a/b/file", []), ("./a//b/../b/file", []), ("short/file", ["short"]), ("long", ["long", "short"]),
            ("short/../up", ["short", "a/up", "long", "short"]), ("a/missing", []), ("short/missing", ["short"]),
        ])
    func follows(name: String, links: [String]) throws {
        let followed = try FollowedLinks("\(top)/\(name)")
        #expect(followed.links == links.map { "\(top)/\($0)" })
        let end = SymbolicLink.resolve("\(top)/\(name)") ?? "\(top)/a\(name.hasPrefix("short") ? "/b" : "")/missing"
        #expect(followed.path == end)
    }

    @Test("a loop is refused, and an open file has no path")
    func ends() throws {
        #expect(throws: SystemError.self) { try FollowedLinks("\(top)/loop") }
        let file = try FileDescriptor.open("\(top)/long", O_RDONLY)
        let followed = try FollowedLinks("/proc/self/fd/\(file.number)")
        #expect(followed.path == nil && followed.links.last?.hasSuffix("/fd/\(file.number)") == true)
        #expect(try FollowedLinks("/").path == "/" && FollowedLinks("/..").path == "/")
        #expect(try FollowedLinks("x").path == SymbolicLink.read("/proc/self/cwd") + "/x")
        let read = try AtomicFile.readSecretAndPath("\(top)/short/file", limit: 10)
        #expect(read.path == "\(top)/a/b/file" && read.content.count == 1 && read.status.size == 1)
    }
}
