import KeychainCrypto
import LinuxSystem

/// Seals and opens the chunks of one file; its key schedule lives for one call of a reader or writer.
///
///     chunk = ciphertext ‖ tag:16                      ; AES-256-GCM under the chunk key
///     nonce = index:u64 0:u24 last:u8
struct ChunkCipher {
    static let tagSize = AESGCM.tagSize

    private let cipher: NoncedAESGCM
    private let fullSize: Int

    init(_ header: AuthenticHeader) throws(FileError) {
        try self.init(header.keys.chunks, chunkSize: header.header.chunkSize)
    }

    init(_ key: SecretBytes, chunkSize: Int) throws(FileError) {
        fullSize = chunkSize + Self.tagSize
        cipher = try computing { () throws(CryptoError) in
            try key.withSpan { (key) throws(CryptoError) in try NoncedAESGCM(key: key) }
        }
    }

    /// The caller never seals an index twice.
    func seal(
        _ content: Span<UInt8>, _ index: UInt64, isLast: Bool, into chunk: inout MutableSpan<UInt8>
    ) throws(FileError) {
        let nonce = Self.nonce(index, isLast)
        do throws(CryptoError) {
            try cipher.seal(plaintext: content, nonce: nonce.span, aad: Span(), into: &chunk)
        } catch { throw .library(error) }
    }

    /// Appends the content of a chunk to the buffer, which stays as it was if the chunk does not open.
    func open(
        _ chunk: Span<UInt8>, _ index: UInt64, isLast: Bool, into content: SecretBuffer
    ) throws(FileError) {
        let offset = UInt64(FilePreamble.size) + index * UInt64(fullSize)
        // The last chunk is shorter than the others, so the end has one form alone.
        let isRight = isLast ? (Self.tagSize..<fullSize).contains(chunk.count) : chunk.count == fullSize
        guard isRight else { throw .damaged(at: offset) }
        let nonce = Self.nonce(index, isLast)
        try content.append(count: chunk.count - Self.tagSize) { (span) throws(FileError) in
            do throws(CryptoError) {
                try cipher.open(message: chunk, nonce: nonce.span, aad: Span(), into: &span)
            } catch { throw error == .authenticationFailed ? .damaged(at: offset) : .library(error) }
        }
    }

    private static func nonce(_ index: UInt64, _ isLast: Bool) -> InlineArray<12, UInt8> {
        InlineArray { place in
            if place < 8 { return UInt8(truncatingIfNeeded: index >> (8 * place)) }
            return place == 11 && isLast ? 1 : 0
        }
    }
}
