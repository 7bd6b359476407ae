import FileFormat
import KeychainCrypto
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@Suite("A sealed file")
struct SealedFileTests {
    static let sizes = [0, 1, 15, 4095, 4096, 4097, 8191, 8192, 20_000]

    @Test("is read as it was written, in pieces of any size", arguments: sizes, [1, 7, 4096, 4112, 100_000])
    func roundTrip(size: Int, pieces: Int) throws {
        // A call for each byte of a long file says nothing that one for each of a short one does not.
        guard pieces > 1 || size < 5000 else { return }
        let content = Randomness.bytes(size)
        let file = try TestFile(content, pieces: pieces)
        #expect(file.bytes.count == FilePreamble.size + size + (size / TestFile.chunk + 1) * 16)
        #expect(try file.content(of: file.bytes, pieces: pieces) == content)
    }

    @Test("of each class is read", arguments: FileProtection.allCases)
    func classes(protection: FileProtection) throws {
        let file = try TestFile([1, 2, 3], nil, protection)
        #expect(try file.content(of: file.bytes) == [1, 2, 3])
    }

    @Test("has the same bytes in whatever pieces its content came")
    func pieces() throws {
        let (content, shelf, file) = (Randomness.bytes(9000), try TestShelf(), FileID())
        let fileKey = SecretBytes(Randomness.bytes(32))
        let slot = try shelf.slot(fileKey, file)
        let header = try FileHeader(protection: .complete, chunkExponent: 12, file: file, slots: [slot])
        let all = try [1, 100, 4096, 5000, 9000].map { pieces in
            let writer = try SealedFileWriter(header, fileKey: fileKey)
            var bytes = writer.preamble
            for start in stride(from: 0, to: content.count, by: pieces) {
                try writer.write(content.span.extracting(start..<min(9000, start + pieces)), into: &bytes)
            }
            try writer.finish(into: &bytes)
            return bytes
        }
        #expect(Set(all).count == 1)
    }

    @Test("is written and read chunk by chunk: nothing waits that could go, and no more than a chunk waits")
    func constantMemory() throws {
        let file = try TestFile(Randomness.bytes(5 * TestFile.chunk))
        let header = try file.proven()
        let (stream, content) = (SealedFileStream(header), SecretBuffer())
        var given = 0
        for (index, byte) in file.bytes[FilePreamble.size...].enumerated() {
            try stream.read([byte].span, into: content)
            if (index + 1) % TestFile.sealedChunk == 0 { given += TestFile.chunk }
            guard content.count == given else {
                Issue.record("\(content.count) bytes after \(index + 1)")
                return
            }
        }
        let writer = try SealedFileWriter(file.header, fileKey: SecretBytes(Randomness.bytes(32)))
        var output: [UInt8] = []
        for index in 0..<3 * TestFile.chunk {
            try writer.write([0].span, into: &output)
            guard output.count == (index + 1) / TestFile.chunk * TestFile.sealedChunk else {
                Issue.record("\(output.count) bytes after \(index + 1)")
                return
            }
        }
    }

    @Test("shows no content, and two of the same content share nothing but their form")
    func ciphertext() throws {
        let (shelf, content) = (
            try TestShelf(), Array(repeating: Array("the secret text ".utf8), count: 600).flatMap { $0 }
        )
        let files = try (0..<2).map { _ in try TestFile(content, shelf) }
        let bodies = files.map { Array($0.bytes[FilePreamble.size...]) }
        #expect(zip(bodies[0], bodies[1]).filter { $0 == $1 }.count < bodies[0].count / 100)
        #expect(Set(bodies[0].prefix(4096)).count > 200)
        #expect(files[0].header.file != files[1].header.file)
    }

    @Test("that was finished, or whose reader has failed, takes no more")
    func ended() throws {
        let file = try TestFile(Randomness.bytes(5000))
        var output: [UInt8] = []
        let writer = try SealedFileWriter(file.header, fileKey: file.fileKey)
        try writer.finish(into: &output)
        #expect(throws: FileError.ended) { try writer.finish(into: &output) }
        #expect(throws: FileError.ended) { try writer.write([1].span, into: &output) }
        #expect(output.count == 16)

        let header = try file.proven()
        let (stream, content) = (SealedFileStream(header), SecretBuffer())
        #expect(throws: FileError.damaged(at: 8192)) {
            try stream.read([UInt8](repeating: 0, count: TestFile.sealedChunk).span, into: content)
        }
        #expect(throws: FileError.ended) { try stream.read(file.chunk(0).span, into: content) }
        #expect(throws: FileError.ended) { try stream.finish(into: content) }
        #expect(content.count == 0)
    }

    @Test("is neither written nor read on by a forked child")
    func forked() throws {
        let file = try TestFile(Randomness.bytes(5000))
        let header = try file.proven()
        let layout = try SealedLayout(size: UInt64(file.bytes.count), file.header)
        let writer = try SealedFileWriter(file.header, fileKey: file.fileKey)
        let stream = SealedFileStream(header)
        let reader = try SealedFileReader(header, layout, last: file.chunk(1).span)
        let (chunk, full) = (file.chunk(0), [UInt8](repeating: 7, count: TestFile.chunk))
        let child = ForkedChild {
            var output: [UInt8] = []
            let content = SecretBuffer()
            let failures = [
                failure { () throws(FileError) in try writer.write(full.span, into: &output) },
                failure { () throws(FileError) in try writer.finish(into: &output) },
                failure { () throws(FileError) in try stream.read(chunk.span, into: content) },
                failure { () throws(FileError) in try reader.open(chunk.span, from: 0, into: content) },
            ]
            return failures == [.forked, .forked, .forked, .forked] && output.isEmpty && content.count == 0 ? 0 : 1
        }
        #expect(child.waitForExit() == 0)
        // The parent goes on.
        let content = SecretBuffer()
        try stream.read(chunk.span, into: content)
        try reader.open(chunk.span, from: 0, into: content)
        #expect(content.count == 2 * TestFile.chunk)
    }

    @Test("opens several chunks in one call, and no chunk at another's index")
    func runs() throws {
        let content = Randomness.bytes(4 * TestFile.chunk + 9)
        let file = try TestFile(content)
        let header = try file.proven()
        let layout = try SealedLayout(size: UInt64(file.bytes.count), file.header)
        #expect(layout.chunks == 5 && layout.length == UInt64(content.count))
        let reader = try SealedFileReader(header, layout, last: file.chunk(4).span)
        let found = SecretBuffer()
        try reader.open((file.chunk(1) + file.chunk(2)).span, from: 1, into: found)
        try reader.open((file.chunk(3) + file.chunk(4)).span, from: 3, into: found)
        #expect(found.array == Array(content[TestFile.chunk...]))
        for index in UInt64(0)..<7 where index != 2 {
            #expect(throws: FileError.self) { try reader.open(file.chunk(2).span, from: index, into: found) }
        }
        #expect(throws: FileError.self) { try reader.open(Span(), from: 0, into: found) }
        #expect(throws: FileError.self) {
            try reader.open((file.chunk(4) + file.chunk(4)).span, from: 4, into: SecretBuffer())
        }
    }
}
