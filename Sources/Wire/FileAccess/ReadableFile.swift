import FileFormat
import Glibc
package import KeychainModel
import KeychainWire
import LinuxSystem

/// An open protected file, read anywhere. Any thread may use it.
///
/// In classes A and C no call returns content after the keychain has been locked: content is given out only when the
/// keychain, asked after the decryption, says that the class is open. The keys are wiped then. After unlocking, the
/// next call fetches the key again. A forked child fetches it too: its parent's keys are not in its memory.
package final class ReadableFile: Sendable {
    package let protection: FileProtection
    /// The content in bytes, proved when the file was opened.
    package let length: UInt64

    private struct State {
        var file: FileDescriptor?
        /// Nil while the keys are wiped.
        var reader: SealedFileReader?
    }

    private let name: String
    private let size: UInt64
    private let keychain: FileKeychain
    private let state: ProcessLocal<State>
    /// How much is decrypted between two questions to the keychain, in bytes.
    private static let pieceSize: UInt64 = 1 << 20

    /// Opens a file.
    ///
    /// - Throws: the refusal of the keychain; `errSecDecode` (`file.damaged`) and its kin; the reason of the file
    ///   system.
    package init(_ path: String, _ keychain: FileKeychain) throws(Refusal) {
        let file = try accessing(path) { () throws(SystemError) in try FileDescriptor.regular(path) }
        size = try accessing(path) { () throws(SystemError) in UInt64(clamping: try FileStatus(of: file).size) }
        let reader = try Self.reader(of: file, size, path, keychain)
        (protection, length) = (reader.protection, reader.layout.length)
        (name, self.keychain) = (path, keychain)
        state = ProcessLocal(State(file: file, reader: reader))
        try LockWatch.of(keychain.device).add(self)
    }

    /// Closes the file and wipes its keys; every later call is refused.
    package func close() { change { state in state = State() } }

    /// Reads content, piece by piece.
    ///
    /// - Parameters:
    ///   - offset: where in the content. Behind its end there is nothing.
    ///   - count: how many bytes at most.
    /// - Throws: `errSecInteractionNotAllowed` (`file.locked`) while the class is locked; as ``init(_:_:)``.
    package func read(at offset: UInt64, count: UInt64, _ body: (Span<UInt8>) -> Void) throws(Refusal) {
        let (file, reader) = try opened()
        var position = offset
        let end = offset + min(count, length - min(offset, length))
        repeat {
            let piece = try content(position, position + min(end - position, Self.pieceSize), file, reader)
            try checkClass()
            piece.withSpan(body)
            position += UInt64(piece.count)
        } while position < end
    }

    private func content(
        _ start: UInt64, _ end: UInt64, _ file: FileDescriptor, _ reader: SealedFileReader
    ) throws(Refusal) -> SecretBuffer {
        guard start < end else { return SecretBuffer(capacity: 0) }
        let (layout, chunkSize) = (reader.layout, UInt64(reader.layout.chunkSize))
        let first = start / chunkSize
        let place = layout.place(of: first).lowerBound..<layout.place(of: (end - 1) / chunkSize).upperBound
        let sealed = try bytes(place, of: file, name)
        let content = SecretBuffer(capacity: sealed.count)
        try formatting { () throws(FileError) in try reader.open(sealed.span, from: first, into: content) }
        content.truncate(to: Int(end - first * chunkSize))
        let skipped = Int(start - first * chunkSize)
        if skipped == 0 { return content }
        let part = SecretBuffer(capacity: content.count - skipped)
        content.withSpan { part.append($0.extracting(skipped...)) }
        return part
    }

    /// Refuses, and wipes the keys, where the class is closed or nobody says that it is open.
    private func checkClass() throws(Refusal) {
        let isOpen = Result { () throws(Refusal) in try keychain.isOpen(protection) }
        if case .success(true) = isOpen { return }
        wipe()
        _ = try isOpen.get()
        throw .locked
    }

    /// File and reader, whose key is fetched again when it was wiped.
    private func opened() throws(Refusal) -> (FileDescriptor, SealedFileReader) {
        let (file, known) = change { ($0.file, $0.reader) }
        guard let file else { throw FileError.ended.refusal }
        if let known { return (file, known) }
        let made: SealedFileReader
        do throws(Refusal) { made = try Self.reader(of: file, size, name, keychain) } catch {
            throw error.rule == .locked ? .locked : error
        }
        guard made.layout.length == length, made.protection == protection else {
            throw FileError.damaged(at: 0).refusal
        }
        change { state in if state.file != nil { state.reader = made } }
        // In a forked child nobody watches yet.
        try LockWatch.of(keychain.device).add(self)
        return (file, made)
    }

    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        state.withValue(inChild: { $0.reader = nil }, body)
    }

    private static func reader(
        of file: FileDescriptor, _ size: UInt64, _ name: String, _ keychain: FileKeychain
    ) throws(Refusal) -> SealedFileReader {
        let begin = try bytes(0..<min(size, UInt64(FilePreamble.size)), of: file, name)
        let preamble = try formatting { () throws(FileError) in try FilePreamble(decoding: begin.span) }
        let header = try keychain.authenticate(preamble)
        let layout = try formatting { () throws(FileError) in try SealedLayout(size: size, header.header) }
        let last = try bytes(layout.place(of: layout.chunks - 1), of: file, name)
        return try formatting { () throws(FileError) in try SealedFileReader(header, layout, last: last.span) }
    }
}

/// Sealed bytes of a part of the file, all of which must be there.
private func bytes(_ place: Range<UInt64>, of file: FileDescriptor, _ name: String) throws(Refusal) -> [UInt8] {
    let bytes = try accessing(name) { () throws(SystemError) in
        try file.read(at: place.lowerBound, count: Int(place.upperBound - place.lowerBound))
    }
    guard bytes.count == Int(place.upperBound - place.lowerBound) else {
        throw FileError.damaged(at: place.lowerBound).refusal
    }
    return bytes
}

extension ReadableFile: LockedFile {
    func wipe() { change { $0.reader = nil } }
}

extension FileDescriptor {
    /// Opens a regular file for reading.
    static func regular(_ path: String) throws(SystemError) -> FileDescriptor {
        let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
        guard try FileStatus(of: file).isRegularFile else {
            throw SystemError(code: EINVAL, call: "open", advice: "it is not a regular file")
        }
        return file
    }
}
