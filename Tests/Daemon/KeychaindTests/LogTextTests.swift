import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("What daemon, enclave and agent write to their logs")
struct LogTextTests {
    private static let folder = String(DaemonFixture.program.dropLast("keychaind".count))

    @Test(
        "Foreign text is shown there as everywhere: on one line, with nothing that steers a terminal or hides",
        arguments: ["keychaind", "keychain-enclaved", "keychain-agent"])
    func harmless(program: String) throws {
        // The name of a process ends at a zero, and has at most so many bytes.
        for text in Troublemakers.texts where !text.utf8.contains(0) {
            let line = try Self.log(of: program, given: "--\(text)x")
            let harm = Troublemakers.harm(in: Array(line.dropLast()))
            #expect(harm == nil, "\(text.unicodeScalars.prefix(5).map(\.value))")
            #expect(line.last == UInt8(ascii: "\n") && line.count < 5_000)
        }
    }

    private static func log(of program: String, given word: String) throws -> [UInt8] {
        let running = try RunningProgram("/bin/sh", ["-c", "exec \"$0\" \"$@\" 2>&1", folder + program, word])
        var (line, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            let count = unsafe read(running.output.number, &part, part.count)
            guard count > 0 else { break }
            line += part[..<count]
        }
        #expect(running.waitForExit() != 0)
        return line
    }
}
