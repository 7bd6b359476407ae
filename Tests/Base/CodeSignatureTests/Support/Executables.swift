import Glibc
import LinuxSystem
import TestSupport

/// Executables for any machine, made by the toolchain's own compiler and linker, without any library.
enum Executables {
    /// Machines with both sizes of addresses and both byte orders.
    static let targets = [
        "x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "armv7-linux-gnueabi", "i386-linux-gnu",
        "aarch64_be-linux-gnu", "s390x-linux-gnu", "powerpc-linux-gnu",
    ]

    private static let source = """
        static int counter = 7; static char room[10000]; const char text[] = "a text of its own";
        int value(void) { return counter + room[5] + text[3]; }
        void _start(void) { counter += value(); for (;;); }

        """

    /// The bytes of the executable for a target.
    static func bytes(for target: String = "x86_64-linux-gnu") throws -> [UInt8] {
        try built.withLock { built in
            if let bytes = built[target] { return bytes }
            let folder = try TemporaryDirectory()
            try folder.write(Array(source.utf8), to: "program.c")
            let status = try run(
                "clang", "--target=\(target)", "-nostdlib", "-static", "-fuse-ld=lld", "-O1", "-g",
                folder.file("program.c"), "-o", folder.file("program"))
            guard status == 0 else { throw SystemError(code: ENOENT, call: "clang", advice: target) }
            let bytes = try folder.read("program")
            built[target] = bytes
            return bytes
        }
    }

    private static let built = Lock<[String: [UInt8]]>([:])
}

/// Runs a program found by its name and returns its exit code.
@discardableResult
func run(_ words: String...) throws -> CInt { try RunningProgram("/usr/bin/env", words).waitForExit() }

extension TemporaryDirectory {
    func write(_ bytes: [UInt8], to name: String, mode: UInt32 = 0o755) throws {
        try AtomicFile.replace(file(name), with: bytes.span, mode: mode)
    }

    func read(_ name: String) throws -> [UInt8] { try AtomicFile.read(file(name), limit: 64 << 20) }
}
