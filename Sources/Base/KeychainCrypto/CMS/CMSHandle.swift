import COpenSSL
import LinuxSystem

/// One of OpenSSL's messages. Belongs to one thread.
@safe final class CMSHandle {
    let reference: OpaquePointer

    /// Takes over a message that OpenSSL has made.
    init(adopting message: OpaquePointer?) throws(CryptoError) { unsafe reference = try made(message) }

    /// Reads a message; BER will do, as others write it.
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

    /// DER.
    func encoded() throws(CryptoError) -> [UInt8] {
        try unsafe KeychainCrypto.encoded { unsafe i2d_CMS_ContentInfo(reference, &$0) }
    }

    /// Puts in content that nothing depends on, for which OpenSSL has no stream.
    func set(_ content: Span<UInt8>) throws(CryptoError) {
        // There is no place where the content stays outside.
        guard let octets = unsafe CMS_get0_content(reference)?.pointee else { return }
        try succeed(
            unsafe content.withUnsafeBufferPointer { unsafe ASN1_STRING_set(octets, $0.baseAddress, CInt($0.count)) })
        unsafe octets.pointee.flags &= ~Int(ASN1_STRING_FLAG_CONT)
    }

    /// Puts the content in, and whatever depends on it.
    func finish(_ content: Span<UInt8>, _ flags: UInt32) throws(CryptoError) {
        let input = try MemoryStream(content)
        defer { extendLifetime(input) }
        try succeed(unsafe CMS_final(reference, input.reference, nil, flags))
    }
}

/// A stream of OpenSSL's over memory of its own. Belongs to one thread.
@safe final class MemoryStream {
    let reference: OpaquePointer
    private var isOwned = true

    init() throws(CryptoError) { unsafe reference = try made(BIO_new(BIO_s_mem())) }

    convenience init(_ bytes: Span<UInt8>) throws(CryptoError) {
        try self.init()
        // The end of the bytes is an end, and not a pause.
        unsafe BIO_ctrl(reference, BIO_C_SET_BUF_MEM_EOF_RETURN, 0, nil)
        guard bytes.count > 0 else { return }
        guard bytes.count <= CMSMessage.mostBytes else { throw .tooLong }
        try succeed(
            unsafe bytes.withUnsafeBufferPointer { unsafe BIO_write(reference, $0.baseAddress, CInt($0.count)) })
    }

    deinit { if isOwned { unsafe BIO_free(reference) } }

    /// Gives it to a chain of streams, which frees it.
    func handOver() -> OpaquePointer {
        isOwned = false
        return unsafe reference
    }

    /// All that is left in it.
    func rest() -> [UInt8] { unsafe readAll(reference) }
}

/// All that comes out of a stream.
func readAll(_ stream: OpaquePointer) -> [UInt8] {
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
        let count = unsafe BIO_read(stream, &part, CInt(part.count))
        guard count > 0 else { return bytes }
        bytes += part[..<Int(count)]
    }
}
