internal import FileAccess
public import Foundation
internal import KeychainModel
internal import LinuxSystem
public import LocalAuthentication
public import Security

extension ProtectedFile {
    /// A protected file that is written from its beginning to its end, in constant memory.
    ///
    ///     let file = try ProtectedFile.Writer(writingTo: url, .init(.complete))
    ///     for part in parts { try file.write(part) }
    ///     try file.close()
    ///
    /// It takes its name at ``close()``: until then, and if it is dropped before, the path has what it had. Calls of
    /// several threads follow each other. While the class is locked, writing and closing files of class
    /// ``Protection/complete`` is refused; after unlocking, the same call goes on.
    public final class Writer: Sendable {
        private let file: WritableFile

        /// Begins a file.
        ///
        /// - Parameters:
        ///   - url: of the file; its folder exists. An existing file's owner and permissions stay.
        ///   - options: where the file belongs.
        ///   - context: for options with an access control; without one the user is asked.
        /// - Throws: `SecItemError`: the keychain's refusal; `errSecIO` when the folder takes no file.
        public init(
            writingTo url: URL, _ options: Options = Options(), context: LAContext? = nil
        ) throws(SecItemError) {
            file = try refusing { () throws(Refusal) in
                try WritableFile(
                    try url.filePath(), in: try options.place(), recovery: try options.recipients(),
                    try .current(context))
            }
        }

        /// Takes more content.
        ///
        /// - Throws: `SecItemError`: `errSecInteractionNotAllowed` (`file.locked`) while the class is locked: nothing
        ///   was taken. Every other error ends the file: a full disk, a forked child.
        public func write(_ content: some DataProtocol) throws(SecItemError) {
            try refusing { () throws(Refusal) in
                // One call is taken whole or not at all.
                let bytes = Array(content)
                try file.write(bytes.span)
            }
        }

        /// Completes the file. When this returns, it has its name and survives a power cut.
        ///
        /// - Throws: `SecItemError`, as ``write(_:)``.
        public func close() throws(SecItemError) {
            try refusing { () throws(Refusal) in try file.close() }
        }

        /// Gives the file up: the path keeps what it had.
        public func cancel() { file.cancel() }
    }
}
