package import LinuxSystem

/// Reads a sealed file from its beginning to its end, in pieces of any size and constant memory, such as from a pipe.
///
/// All content that comes out is verified. Only ``finish(into:)`` says whether it is whole. Any thread may use it.
package final class SealedFileStream: Sendable {
    private let state: ProcessLocal<State>

    package init(_ header: AuthenticHeader) { state = ProcessLocal(State(header)) }

    /// Takes more of the file's bytes behind the preamble, and appends the content of the chunks that are whole.
    ///
    /// - Throws: `FileError.damaged` with the place of the first chunk that does not open, after the content before it
    ///   was appended; `.tooLarge`, `.ended`, `.forked`, `.library`. After each of them the stream has ended.
    package func read(_ bytes: Span<UInt8>, into content: SecretBuffer) throws(FileError) {
        try state.withValue(inChild: refuseChild) { (state) throws(FileError) in
            try state.read(bytes, into: content)
        }
    }

    /// Ends the file and appends the content of the last chunk.
    ///
    /// - Throws: `FileError.damaged` when the file was cut off or something stands behind its end; as
    ///   ``read(_:into:)``.
    package func finish(into content: SecretBuffer) throws(FileError) {
        try state.withValue(inChild: refuseChild) { (state) throws(FileError) in try state.finish(into: content) }
    }
}

extension SealedFileStream {
    private struct State {
        private let header: AuthenticHeader
        private let fullSize: Int
        private var pending: [UInt8] = []
        private var index: UInt64 = 0
        private var hasEnded = false

        init(_ header: AuthenticHeader) {
            self.header = header
            fullSize = header.header.chunkSize + ChunkCipher.tagSize
        }

        mutating func read(_ bytes: Span<UInt8>, into content: SecretBuffer) throws(FileError) {
            try begin()
            let taken = fill(bytes)
            var rest = bytes.extracting(taken...)
            if pending.count == fullSize || rest.count >= fullSize {
                let cipher = try ChunkCipher(header)
                try openPending(cipher, into: content)
                while rest.count >= fullSize {
                    try open(rest.extracting(..<fullSize), cipher, isLast: false, into: content)
                    rest = rest.extracting(fullSize...)
                }
            }
            pending += rest.array(0, rest.count)
            hasEnded = false
        }

        mutating func finish(into content: SecretBuffer) throws(FileError) {
            try begin()
            let last = pending
            pending = []
            try open(last.span, ChunkCipher(header), isLast: true, into: content)
        }

        private mutating func begin() throws(FileError) {
            guard !hasEnded else { throw .ended }
            hasEnded = true
        }

        /// Fills up the chunk that has begun, and returns how much that took.
        private mutating func fill(_ bytes: Span<UInt8>) -> Int {
            guard !pending.isEmpty else { return 0 }
            let count = min(bytes.count, fullSize - pending.count)
            pending += bytes.array(0, count)
            return count
        }

        private mutating func openPending(_ cipher: ChunkCipher, into content: SecretBuffer) throws(FileError) {
            guard !pending.isEmpty else { return }
            let chunk = pending
            try open(chunk.span, cipher, isLast: false, into: content)
            pending.removeAll(keepingCapacity: true)
        }

        private mutating func open(
            _ chunk: Span<UInt8>, _ cipher: ChunkCipher, isLast: Bool, into content: SecretBuffer
        ) throws(FileError) {
            guard index <= SealedLayout.mostBytes / UInt64(header.header.chunkSize) else { throw .tooLarge }
            try cipher.open(chunk, index, isLast: isLast, into: content)
            index += 1
        }
    }
}
