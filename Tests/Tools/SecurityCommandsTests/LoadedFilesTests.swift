import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("anchor looks at all that the loader brings in")
struct LoadedFilesTests {
    private let directory: TemporaryDirectory
    private let shell = Shell()

    init() throws {
        directory = try TemporaryDirectory()
        unsafe chmod(directory.path, 0o755)
        for name in ["lib", "own"] { unsafe mkdir(directory.file(name), 0o755) }
        unsafe chown(directory.file("own"), 1000, 1000)
    }

    private func compile(_ target: String, _ text: String, _ options: [String]) throws {
        try AtomicFile.replace(directory.file("source.c"), with: Array(text.utf8).span)
        let words = ["cc", "-o", target, directory.file("source.c")] + options
        #expect(try RunningProgram("/usr/bin/env", words).waitForExit() == 0)
    }

    /// A program that needs a library in a folder of this test.
    private func program(_ folder: String = "lib", _ options: String...) throws -> String {
        let library = directory.file("\(folder)/libpart.so")
        try compile(library, "int part(void) { return 0; }", ["-shared", "-fPIC"])
        let program = directory.file("program")
        try compile(
            program, "int part(void); int main(void) { return part(); }",
            ["-L\(directory.file(folder))", "-lpart"] + options.map { "-Wl,\($0)" })
        return program
    }

    private func doubt(_ program: String) -> String? {
        var loaded = LoadedFiles(listed: LoaderList.read())
        do throws(LoadedFiles.Doubt) { try loaded.check(program) } catch { return error.description }
        return nil
    }

    @Test(
        "A program whose libraries are root's alone is taken, wherever they are", .enabled(if: CurrentProcess.user == 0)
    )
    func takes() throws {
        #expect(doubt("/usr/bin/env") == nil)
        #expect(try doubt(program("lib", "-rpath,\(directory.file("lib"))")) == nil)
        #expect(try doubt(program("lib", "-rpath,$ORIGIN/lib")) == nil)
        #expect(try doubt(program("lib", "-rpath,${ORIGIN}/lib:/usr/lib")) == nil)
    }

    @Test(
        "A run path that leads to a folder of somebody else's is not, also where nothing is there yet",
        .enabled(if: CurrentProcess.user == 0))
    func refusesRunPaths() throws {
        let own = directory.file("own")
        let lib = directory.file("lib")
        for path in [own, "$ORIGIN/own", "\(lib):\(own)", "\(lib):\(own)/later", "\(lib):/tmp/later-\(getpid())"] {
            for kind in ["--enable-new-dtags", "--disable-new-dtags"] {
                #expect(try doubt(program("lib", kind, "-rpath,\(path)"))?.contains("looked for") == true, "\(path)")
            }
        }
    }

    @Test(
        "A run path that can lead anywhere is not", .enabled(if: CurrentProcess.user == 0),
        arguments: ["lib", ".", "", "$LIB", "/usr/$PLATFORM"])
    func refusesRelative(path: String) throws {
        let found = try doubt(program("lib", "-rpath,\(directory.file("lib")):\(path)"))
        #expect(found?.contains("can be anywhere") == true)
    }

    @Test("A library that is somebody else's, or leads to one, is not", .enabled(if: CurrentProcess.user == 0))
    func refusesLibraries() throws {
        let path = try program("lib", "-rpath,\(directory.file("lib"))")
        unsafe chown(directory.file("lib/libpart.so"), 1000, 1000)
        #expect(doubt(path)?.contains("belongs to user 1000") == true)
        unsafe rename(directory.file("lib/libpart.so"), directory.file("own/libpart.so"))
        unsafe symlink(directory.file("own/libpart.so"), directory.file("lib/libpart.so"))
        #expect(doubt(path)?.contains("belongs to user 1000") == true)
        unsafe unlink(directory.file("lib/libpart.so"))
        #expect(doubt(path)?.contains("is not there") == true)
    }

    @Test("What a library needs is looked at like what the program needs", .enabled(if: CurrentProcess.user == 0))
    func isTransitive() throws {
        let (inner, outer) = (directory.file("own/libinner.so"), directory.file("lib/libouter.so"))
        try compile(inner, "int inner(void) { return 0; }", ["-shared", "-fPIC"])
        try compile(
            outer, "int inner(void); int outer(void) { return inner(); }",
            ["-shared", "-fPIC", "-L\(directory.file("own"))", "-linner", "-Wl,-rpath,\(directory.file("own"))"])
        try compile(
            directory.file("program"), "int outer(void); int main(void) { return outer(); }",
            [
                "-L\(directory.file("lib"))", "-louter", "-Wl,-rpath,\(directory.file("lib"))",
                "-Wl,-rpath-link,\(directory.file("own"))",
            ])
        #expect(doubt(directory.file("program"))?.hasPrefix(outer) == true)
    }

    @Test("Another interpreter than root's is not", .enabled(if: CurrentProcess.user == 0))
    func refusesInterpreter() throws {
        let interpreter = directory.file("own/ld.so")
        #expect(try RunningProgram("/bin/cp", ["/bin/true", interpreter]).waitForExit() == 0)
        let path = try program("lib", "-rpath,\(directory.file("lib"))", "--dynamic-linker=\(interpreter)")
        #expect(doubt(path)?.contains(interpreter) == true)
    }

    @Test("A variant of a library for this processor counts as the library", .enabled(if: CurrentProcess.user == 0))
    func variants() throws {
        let path = try program("lib", "-rpath,\(directory.file("lib"))")
        for folder in ["lib/glibc-hwcaps", "lib/glibc-hwcaps/x86-64-v3"] { unsafe mkdir(directory.file(folder), 0o755) }
        unsafe symlink(directory.file("own/libpart.so"), directory.file("lib/glibc-hwcaps/x86-64-v3/libpart.so"))
        #expect(doubt(path)?.contains("x86-64-v3") == true)
    }

    @Test(
        "The command says what is wrong and leaves the program as it is, also when forced",
        .enabled(if: CurrentProcess.user == 0))
    func command() throws {
        let path = try program("own", "-rpath,\(directory.file("own"))")
        for options in [[], ["--force"]] {
            let outcome = shell.run(["anchor", "-g", "64322"] + options + [path], input: [])
            #expect(outcome.status == 1 && outcome.errors.contains("is not changed") && outcome.errors.contains("own"))
        }
        #expect(try FileStatus(at: path)?.setsGroup == false)
    }

    @Test("A file that is cut anywhere, or changed anywhere, is read or refused and nothing else happens")
    func malformed() throws {
        let bytes = try AtomicFile.read("/usr/bin/env", limit: 1 << 20)
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            _ = try? DynamicSection(Array(bytes.prefix(Int(random.next() % UInt64(bytes.count)))))
            var changed = bytes
            for _ in 0..<8 { changed[Int(random.next() % 4096)] = UInt8(truncatingIfNeeded: random.next()) }
            _ = try? DynamicSection(changed)
        }
        #expect(throws: DynamicSection.Unreadable.self) { try DynamicSection([]) }
        #expect(throws: DynamicSection.Unreadable.self) { try DynamicSection(Array("#!/bin/sh".utf8)) }
    }

    @Test("The loader's list is read as ldconfig shows it")
    func list() throws {
        let found = LoaderList.read()
        let libc = try #require(found["libc.so.6"]?.first)
        #expect(SymbolicLink.resolve(libc) != nil)
        let bytes = try AtomicFile.read(LoaderList.path, limit: 64 << 20)
        for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 97)) {
            _ = LoaderList.parse(Array(bytes.prefix(count)))
        }
        #expect(LoaderList.read("/nowhere/list").isEmpty)
    }
}
