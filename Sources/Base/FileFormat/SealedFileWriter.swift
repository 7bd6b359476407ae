package import LinuxSystem

/// Makes a sealed file from its beginning to its end, in constant memory. It does not write: it appends the file's
/// bytes to an array, which its caller writes in the same order.
///
/// An index is sealed once. So a caller may write the same bytes again after a failure, but cannot get others for their
/// place. A forked child is refused: it would seal other content under the same nonces. Any thread may use it.
package final class SealedFileWriter: Sendable {
    /// The beginning of the file: ``FilePreamble/size`` bytes.
    package let preamble: [UInt8]

    private let state: ProcessLocal<State>

    /// - Parameter fileKey: 32 fresh bytes. **A key is for one writer**: with another one it would seal twice.
    /// - Throws: `FileError.library`.
    package init(_ header: FileHeader, fileKey: SecretBytes) throws(FileError) {
        let keys = try FileKeys(fileKey: fileKey, file: header.file)
        let copy = try FilePreamble.copy(header, keys)
        preamble = copy + copy
        let waiting = try WaitingContent(fileKey: fileKey, file: header.file)
        state = ProcessLocal(State(AuthenticHeader(header, keys), waiting))
    }

    /// Wipes the keys, and encrypts the content that waits for more. Until ``resume(fileKey:)`` nothing is taken.
    ///
    /// - Throws: as ``write(_:into:)``.
    package func suspend() throws(FileError) {
        try state.withValue(inChild: refuseChild) { (state) throws(FileError) in try state.suspend() }
    }

    /// Whether it was suspended.
    ///
    /// - Throws: `FileError.forked`.
    package var isSuspended: Bool {
        get throws(FileError) {
            try state.withValue(inChild: refuseChild) { (state) throws(FileError) in state.isSuspended }
        }
    }

    /// Goes on after ``suspend()``.
    ///
    /// - Parameter fileKey: the one that it began with.
    /// - Throws: as ``write(_:into:)``; `FileError.damaged` for another key.
    package func resume(fileKey: SecretBytes) throws(FileError) {
        try state.withValue(inChild: refuseChild) { (state) throws(FileError) in try state.resume(fileKey) }
    }

    /// Takes more content, and appends the chunks that are full.
    ///
    /// - Throws: `FileError.tooLarge`, `.ended`, `.forked`, `.library`. After each of them the file has ended, and must
    ///   be thrown away.
    package func write(_ content: Span<UInt8>, into output: inout [UInt8]) throws(FileError) {
        try state.withValue(inChild: refuseChild) { (state) throws(FileError) in
            try state.write(content, into: &output)
        }
    }

    /// Appends the last chunk. The file is whole when it is written.
    ///
    /// - Throws: as ``write(_:into:)``.
    package func finish(into output: inout [UInt8]) throws(FileError) {
        try state.withValue(inChild: refuseChild) { (state) throws(FileError) in try state.finish(into: &output) }
    }
}

/// Keys and what they have sealed belong to the process that began.
func refuseChild<State>(_: inout State) throws(FileError) { throw .forked }

extension SealedFileWriter {
    private struct State {
        private let claim: FileHeader
        private let chunkSize: Int
        /// Nil while it is suspended.
        private var keys: (header: AuthenticHeader, waiting: WaitingContent)?
        private let pending: SecretBuffer
        /// The pending content, encrypted, while it is suspended.
        private var waiting: [UInt8] = []
        private var index: UInt64 = 0
        private var length: UInt64 = 0
        private var hasEnded = false

        init(_ header: AuthenticHeader, _ waiting: WaitingContent) {
            (claim, chunkSize, keys) = (header.header, header.header.chunkSize, (header, waiting))
            pending = SecretBuffer(capacity: 0)
        }

        var isSuspended: Bool { keys == nil }

        mutating func suspend() throws(FileError) {
            guard let keys, !hasEnded else { return }
            waiting = try pending.withSpan { (content) throws(FileError) in try keys.waiting.seal(content) }
            pending.removeAll()
            self.keys = nil
        }

        mutating func resume(_ fileKey: SecretBytes) throws(FileError) {
            guard keys == nil else { return }
            let known = try WaitingContent(fileKey: fileKey, file: claim.file)
            try known.open(waiting, into: pending)
            waiting = []
            keys = (AuthenticHeader(claim, try FileKeys(fileKey: fileKey, file: claim.file)), known)
        }

        private func cipher() throws(FileError) -> ChunkCipher {
            guard let keys else { throw .ended }
            return try ChunkCipher(keys.header)
        }

        mutating func write(_ content: Span<UInt8>, into output: inout [UInt8]) throws(FileError) {
            try begin()
            guard UInt64(content.count) <= SealedLayout.mostBytes - length else { throw .tooLarge }
            length += UInt64(content.count)
            let taken = fill(content)
            var rest = content.extracting(taken...)
            // The schedule of the key is made where a chunk is full, and for all that are.
            if pending.count == chunkSize || rest.count >= chunkSize {
                let cipher = try cipher()
                try sealPending(cipher, isLast: false, into: &output)
                while rest.count >= chunkSize {
                    try seal(rest.extracting(..<chunkSize), cipher, isLast: false, into: &output)
                    rest = rest.extracting(chunkSize...)
                }
            }
            pending.append(rest)
            hasEnded = false
        }

        mutating func finish(into output: inout [UInt8]) throws(FileError) {
            try begin()
            let cipher = try cipher()
            if pending.count == 0 {
                try seal(Span(), cipher, isLast: true, into: &output)
            } else {
                try sealPending(cipher, isLast: true, into: &output)
            }
        }

        /// Whatever fails ends the file: what comes after it is not sealed.
        private mutating func begin() throws(FileError) {
            guard !hasEnded, keys != nil else { throw .ended }
            hasEnded = true
        }

        /// Fills up the chunk that was begun, and returns how much that took.
        private func fill(_ content: Span<UInt8>) -> Int {
            guard pending.count > 0 else { return 0 }
            let count = min(content.count, chunkSize - pending.count)
            pending.append(content.extracting(..<count))
            return count
        }

        private mutating func sealPending(
            _ cipher: ChunkCipher, isLast: Bool, into output: inout [UInt8]
        ) throws(FileError) {
            guard pending.count > 0 else { return }
            let content = pending
            try content.withSpan { (span) throws(FileError) in
                try seal(span, cipher, isLast: isLast, into: &output)
            }
            content.removeAll()
        }

        private mutating func seal(
            _ content: Span<UInt8>, _ cipher: ChunkCipher, isLast: Bool, into output: inout [UInt8]
        ) throws(FileError) {
            // Counted first: a chunk that fails has used its index.
            let (number, size) = (index, content.count + ChunkCipher.tagSize)
            index += 1
            try output.append(addingCapacity: size) { (room) throws(FileError) in
                try unsafe room.withUnsafeMutableBufferPointer { (room, count) throws(FileError) in
                    var chunk = unsafe MutableSpan(_unsafeStart: room.baseAddress!, count: size)
                    try cipher.seal(content, number, isLast: isLast, into: &chunk)
                    count = size
                }
            }
        }
    }
}
