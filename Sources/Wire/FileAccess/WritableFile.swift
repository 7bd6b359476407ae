package import FileFormat
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// A protected file that is written from its beginning to its end, and takes its name when it is complete. Until then,
/// and if it is dropped before, the path keeps what it had. Any thread may use it; calls follow each other.
///
/// While the class is locked, classes A and C take nothing: the key is wiped, and the content that waits for the next
/// chunk is encrypted. After unlocking, the next call fetches the key again.
package final class WritableFile: Sendable {
    private struct State {
        var replaced: ReplacedFile?
        var sealed: [UInt8]
    }

    private let name: String
    let protection: FileProtection
    private let keychain: FileKeychain
    private let writer: SealedFileWriter
    private let header: FileHeader
    private let state: ProcessLocal<State>

    /// Begins a file.
    ///
    /// - Parameter recipients: who opens the file without the keychain, too.
    /// - Throws: the refusal of the keychain; the reason of the file system.
    package init(
        _ path: String, in place: ShelfPlace, chunkExponent: UInt8 = 16,
        recovery recipients: [RecoveryRecipient] = [], _ keychain: FileKeychain
    ) throws(Refusal) {
        (writer, header) = try keychain.newFile(in: place, chunkExponent: chunkExponent, recovery: recipients)
        (name, protection, self.keychain) = (path, place.protection, keychain)
        let replaced = try accessing(path) { () throws(SystemError) in try ReplacedFile(writing: path) }
        state = ProcessLocal(State(replaced: replaced, sealed: writer.preamble))
        try LockWatch.of(keychain.device).add(self)
    }

    /// Takes more content.
    ///
    /// - Throws: `errSecInteractionNotAllowed` (`file.locked`) while the class is locked: nothing was taken, and the
    ///   same call may be repeated. Every other refusal ends the file.
    package func write(_ content: Span<UInt8>) throws(Refusal) {
        try performing { (writer, sealed) throws(FileError) in try writer.write(content, into: &sealed) }
    }

    /// Completes the file and gives it its name; when this returns, it survives a power cut.
    ///
    /// - Throws: as ``write(_:)``; `errSecIO` when the file system refuses.
    package func close() throws(Refusal) {
        try performing(ending: true) { (writer, sealed) throws(FileError) in try writer.finish(into: &sealed) }
    }

    /// Gives the file up: the path keeps what it had.
    package func cancel() { try? change { (state) throws(Refusal) in state.replaced = nil } }

    private func performing(
        ending: Bool = false, _ body: (SealedFileWriter, inout [UInt8]) throws(FileError) -> Void
    ) throws(Refusal) {
        try change { (state) throws(Refusal) in
            guard let replaced = state.replaced else { throw FileError.ended.refusal }
            try requireOpen()
            // Whatever fails from here on ends the file.
            state.replaced = nil
            try formatting { () throws(FileError) in try body(writer, &state.sealed) }
            try accessing(name) { () throws(SystemError) in
                try replaced.output.writeFully(state.sealed.span)
                if ending { try replaced.commit() }
            }
            state.sealed.removeAll(keepingCapacity: true)
            if !ending { state.replaced = replaced }
        }
    }

    private func requireOpen() throws(Refusal) {
        let isOpen = Result { () throws(Refusal) in try keychain.isOpen(protection) }
        guard case .success(true) = isOpen else {
            try formatting { () throws(FileError) in try writer.suspend() }
            _ = try isOpen.get()
            throw .locked
        }
        guard try formatting({ () throws(FileError) in try writer.isSuspended }) else { return }
        let key: SecretBytes
        do throws(Refusal) { key = try keychain.key(of: header) } catch {
            throw error.rule == .locked ? .locked : error
        }
        try formatting { () throws(FileError) in try writer.resume(fileKey: key) }
    }

    private func change(_ body: (inout State) throws(Refusal) -> Void) throws(Refusal) {
        try state.withValue(inChild: { (_) throws(Refusal) in throw FileError.forked.refusal }, body)
    }
}

extension WritableFile: LockedFile {
    func wipe() { try? writer.suspend() }
}
