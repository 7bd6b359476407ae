internal import FileAccess
public import Foundation
internal import KeychainModel
public import LocalAuthentication
public import Security

extension ProtectedFile {
    /// An open protected file, which is read anywhere. Any thread may use it.
    ///
    ///     let file = try ProtectedFile.Reader(readingFrom: url)
    ///     for try await part in file.parts() { digest.update(data: part) }
    ///
    /// Everything that is read is verified, and that nothing of the file's end is missing when it is opened. While the
    /// class is locked, every call of a file of class ``Protection/complete`` is refused with
    /// `errSecInteractionNotAllowed` (`file.locked`), and its key is wiped; after unlocking, the file goes on.
    public final class Reader: Sendable {
        private let file: ReadableFile

        /// The class of the file.
        public var protection: Protection { Protection(file.protection) }
        /// The content in bytes.
        public var length: UInt64 { file.length }

        /// Opens a protected file.
        ///
        /// - Parameters:
        ///   - url: of a protected file.
        ///   - context: for files whose shelf has an access control; without one the user is asked.
        /// - Throws: `SecItemError`, as `Data(contentsOfProtected:context:)`.
        public init(readingFrom url: URL, context: LAContext? = nil) throws(SecItemError) {
            file = try refusing { () throws(Refusal) in
                try ReadableFile(try url.filePath(), try .current(context))
            }
        }

        /// Reads content from an offset on.
        ///
        /// - Parameters:
        ///   - offset: in bytes. Behind the end there is nothing.
        ///   - count: how many bytes at most; a negative number is none.
        /// - Throws: `SecItemError`: `errSecInteractionNotAllowed` (`file.locked`) while the class is locked,
        ///   `errSecDecode` (`file.damaged`), `errSecParam` (`file.ended`) after ``close()``.
        public func read(at offset: UInt64, count: Int) throws(SecItemError) -> Data {
            var content = Data()
            let there = offset < length ? min(UInt64(clamping: count), length - offset) : 0
            content.reserveCapacity(Int(clamping: there))
            try read(at: offset, count: count) { piece in
                unsafe piece.withUnsafeBufferPointer { unsafe content.append($0) }
            }
            return content
        }

        /// The same, piece by piece: for a caller with memory of its own.
        package func read(
            at offset: UInt64, count: Int, _ body: (Span<UInt8>) -> Void
        ) throws(SecItemError) {
            try refusing { () throws(Refusal) in
                try file.read(at: offset, count: UInt64(clamping: count), body)
            }
        }

        /// Closes the file and wipes its key. The last reference closes it too.
        public func close() { file.close() }

        /// The content as parts of at most a mebibyte, in constant memory, read on a thread that may block.
        ///
        /// - Parameter offset: of the first part, in bytes.
        public func parts(from offset: UInt64 = 0) -> Parts { Parts(file: self, offset: offset) }
    }

    /// The content of an open file, part by part.
    public struct Parts: AsyncSequence, Sendable {
        let file: Reader
        let offset: UInt64

        /// Begins at the first part.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file, offset: offset) }

        /// Reads one part after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private static let size = 1 << 20
            let file: Reader
            var offset: UInt64

            /// The next part; nil at the end.
            ///
            /// - Throws: `SecItemError`, as ``Reader/read(at:count:)``. The same part can be asked for again.
            public mutating func next() async throws -> Data? {
                guard offset < file.length else { return nil }
                let (file, place) = (file, offset)
                let part = try await awaiting { () throws(SecItemError) in
                    try file.read(at: place, count: Self.size)
                }
                offset += UInt64(part.count)
                return part
            }
        }
    }
}
