import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("Secrets in memory", .enabled(if: !Sanitizer.isActive, "a sanitizer keeps freed memory"))
struct SecretMemoryTests {
    @Test("A secret is in memory once while it lives and nowhere when it is gone")
    func wipedAfterUse() async {
        await #expect(processExitsWith: .success) { () throws in
            let needle = Needle()
            var secret: SecretBytes? = needle.secret()
            #expect(try needle.occurrences() == 1)
            #expect(secret?.count == needle.count)
            secret = nil
            #expect(try needle.occurrences() == 0)
        }
    }

    @Test("An ordinary array leaves its secret behind, so the search above finds what is there")
    func control() async {
        await #expect(processExitsWith: .success) { () throws in
            let needle = Needle()
            var array = [UInt8](repeating: 0, count: 1 << 16)
            needle.copy { source in for index in 0..<needle.count { array[index + 4096] = source[index] } }
            #expect(try needle.occurrences() >= 1)
            #expect(array.count == 1 << 16)
        }
    }

    @Test("A buffer that grows, shrinks and goes leaves nothing behind", arguments: [0, 100, 5000, 200_000])
    func growingBuffer(before: Int) async {
        await #expect(processExitsWith: .success) { [before] () throws in
            let needle = Needle()
            var buffer: SecretBuffer? = SecretBuffer(capacity: 16)
            for _ in 0..<before { buffer?.append(0 as UInt8) }
            needle.copy { buffer?.append($0.span) }
            #expect(try needle.occurrences() == 1)
            for _ in 0..<100_000 { buffer?.append(0 as UInt8) }
            #expect(try needle.occurrences() == 1)
            buffer?.truncate(to: before)
            #expect(try needle.occurrences() == 0)
            needle.copy { buffer?.append($0.span) }
            buffer = nil
            #expect(try needle.occurrences() == 0)
        }
    }

    @Test("A block that comes back is zero when it is handed out again")
    func reuse() {
        for count in [1, 128, 129, 512, 65536, 65537] {
            for _ in 0..<3 {
                let secret = SecretBytes(count: count)
                secret.withMutableSpan { span in
                    var sum = 0
                    for index in 0..<span.count { sum += Int(span[index]) }
                    #expect(sum == 0)
                    Randomness.fill(&span)
                }
            }
        }
    }

    @Test("A forked child finds zeros where its parent keeps a secret")
    func fork() async {
        await #expect(processExitsWith: .success) { () throws in
            let secret = SecretBytes(count: 64)
            secret.withMutableSpan { for index in 0..<64 { $0[index] = 0xaa } }
            let child = ForkedChild {
                secret.withSpan { span in (0..<64).allSatisfy { span[$0] == 0 } } ? 7 : 8
            }
            #expect(child.waitForExit() == 7)
            #expect(secret.withSpan { span in (0..<64).allSatisfy { span[$0] == 0xaa } })
        }
    }

    @Test("A secret's pages are left out of core dumps and locked in memory")
    func flagsOfPages() async {
        await #expect(processExitsWith: .success) { () throws in
            let secret = SecretBytes(count: 64)
            let address = secret.withSpan { span in
                unsafe span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
            let flags = try pageFlags(of: address)
            // proc_pid_smaps(5): do not dump, wipe on fork, locked.
            for flag: Substring in ["dd", "wf", "lo"] { #expect(flags.contains(flag)) }
        }
    }

    @Test("Secrets are equal when all their bytes are")
    func equality() {
        let bytes = Randomness.bytes(40)
        let secret = SecretBytes(copying: bytes.span)
        #expect(secret.isEqual(to: SecretBytes(copying: bytes.span)))
        #expect(!secret.isEqual(to: SecretBytes(copying: bytes.span.extracting(..<39))))
        for index in [0, 20, 39] {
            var other = bytes
            other[index] ^= 0x80
            #expect(!secret.isEqual(to: SecretBytes(copying: other.span)))
        }
        #expect(SecretBytes(count: 0).isEqual(to: SecretBytes(count: 0)))
    }

    @Test("What a failing writer wrote at the end of a buffer is not there afterwards")
    func failedAppend() {
        struct Refused: Error {}
        let buffer = SecretBuffer(capacity: 16)
        buffer.append(littleEndian: 0x0403_0201 as UInt32)
        #expect(throws: Refused.self) {
            try buffer.append(count: 1000) { (span) throws(Refused) in
                for index in 0..<span.count { span[index] = 9 }
                throw Refused()
            }
        }
        #expect(buffer.count == 4)
        buffer.append(count: 1000) { span in
            var sum = 0
            for index in 0..<span.count { sum += Int(span[index]) }
            #expect(sum == 0)
        }
        let start = buffer.withSpan { span in (0..<4).map { span[$0] } }
        #expect(start == [1, 2, 3, 4])
    }
}

private func pageFlags(of address: UInt) throws -> [Substring] {
    let file = try FileDescriptor.open("/proc/self/smaps", O_RDONLY)
    var isInside = false
    for line in try file.readText(16 << 20).split(separator: "\n") {
        let first = line.prefix { $0 != " " }
        let bounds = first.split(separator: "-").compactMap { UInt($0, radix: 16) }
        if bounds.count == 2 { isInside = (bounds[0]..<bounds[1]).contains(address) }
        if isInside && first == "VmFlags:" { return line.split(separator: " ") }
    }
    return []
}
