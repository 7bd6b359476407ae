import COpenSSL
import LinuxSystem

/// A CMS message of OpenSSL. Belongs to one thread.
@safe final class CMSHandle {
    let reference: OpaquePointer

    /// Takes ownership of a message that OpenSSL has made.
    init(adopting message: OpaquePointer?) throws(CryptoError) { unsafe reference = try made(message) }

    /// Reads a message in DER or BER; other programs write BER.
    init(reading bytes: [UInt8]) throws(CMSError) {
        let message = try unsafe cms(or: .malformed) { () throws(CryptoError) in
            try unsafe decoded(
                bytes.span, by: { unsafe d2i_CMS_ContentInfo(nil, &$0, $1) }, orFree: CMS_ContentInfo_free)
        }
        unsafe reference = message
    }

    deinit { unsafe CMS_ContentInfo_free(reference) }

    /// The kind of the message, as OpenSSL numbers it.
    var kind: CInt { unsafe OBJ_obj2nid(CMS_get0_type(reference)) }

    /// The message in DER.
    func encoded() throws(CryptoError) -> [UInt8] {
        try unsafe KeychainCrypto.encoded { unsafe i2d_CMS_ContentInfo(reference, &$0) }
    }

    /// Sets content that nothing depends on. OpenSSL has no stream for it.
    func set(_ content: Span<UInt8>) throws(CryptoError) {
        // A null place means that the content stays outside.
        guard let octets = unsafe CMS_get0_content(reference)?.pointee else { return }
        try succeed(
            unsafe content.withUnsafeBufferPointer { unsafe ASN1_STRING_set(octets, $0.baseAddress, CInt($0.count)) })
        unsafe octets.pointee.flags &= ~Int(ASN1_STRING_FLAG_CONT)
    }

    /// Sets the content and computes everything that depends on it.
    func finish(_ content: Span<UInt8>, _ flags: UInt32) throws(CryptoError) {
        let input = try MemoryStream(content)
        defer { extendLifetime(input) }
        try succeed(unsafe CMS_final(reference, input.reference, nil, flags))
    }
}

/// A memory stream of OpenSSL over a copy of the bytes. Belongs to one thread.
@safe final class MemoryStream {
    let reference: OpaquePointer
    private var isOwned = true

    init() throws(CryptoError) { unsafe reference = try made(BIO_new(BIO_s_mem())) }

    convenience init(_ bytes: Span<UInt8>) throws(CryptoError) {
        try self.init()
        // The end of the bytes is the end of the stream, not a pause.
        unsafe BIO_ctrl(reference, BIO_C_SET_BUF_MEM_EOF_RETURN, 0, nil)
        guard bytes.count > 0 else { return }
        guard bytes.count <= CMSMessage.mostBytes else { throw .tooLong }
        try succeed(
            unsafe bytes.withUnsafeBufferPointer { unsafe BIO_write(reference, $0.baseAddress, CInt($0.count)) })
    }

    deinit { if isOwned { unsafe BIO_free(reference) } }

    /// Transfers ownership to a chain of streams, which frees it.
    func handOver() -> OpaquePointer {
        isOwned = false
        return unsafe reference
    }

    /// All remaining bytes of the stream.
    func rest() -> [UInt8] { unsafe readAll(reference) }
}

/// Reads a stream to its end.
func readAll(_ stream: OpaquePointer) -> [UInt8] {
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
        let count = unsafe BIO_read(stream, &part, CInt(part.count))
        guard count > 0 else { return bytes }
        bytes += part[..<Int(count)]
    }
}
