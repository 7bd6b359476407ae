import COpenSSL
import LinuxSystem

/// A certificate of OpenSSL, freed with its last owner.
///
/// It is safe to send because it never changes after it was made. OpenSSL's caches in it are guarded by OpenSSL's own
/// lock.
@safe final class X509Handle: @unchecked Sendable {
    let reference: OpaquePointer
    let certificate: Certificate

    /// - Throws: `CryptoError.malformedCertificate` for a certificate that OpenSSL does not read.
    init(_ certificate: Certificate) throws(CryptoError) {
        self.certificate = certificate
        do throws(CryptoError) {
            unsafe reference = try decoded(
                certificate.encoded.span, by: { unsafe d2i_X509(nil, &$0, $1) }, orFree: X509_free)
        } catch { throw .malformedCertificate }
    }

    deinit { unsafe X509_free(reference) }
}

extension Certificate {
    /// A copy of a certificate of OpenSSL.
    ///
    /// - Throws: `CryptoError.malformedCertificate` for a certificate that OpenSSL reads and this project does not.
    init(_ reference: OpaquePointer) throws(CryptoError) {
        let bytes = try unsafe KeychainCrypto.encoded { unsafe i2d_X509(reference, &$0) }
        do { try self.init(parsing: bytes.span) } catch { throw .malformedCertificate }
    }
}

/// A stack of certificates of OpenSSL. It does not own them.
@safe final class X509Stack {
    let reference: OpaquePointer

    init(_ handles: [X509Handle]) throws(CryptoError) {
        unsafe reference = try made(OPENSSL_sk_new_null())
        for handle in handles {
            try succeed(unsafe OPENSSL_sk_push(reference, UnsafeRawPointer(handle.reference)))
        }
    }

    deinit { unsafe OPENSSL_sk_free(reference) }

    /// The certificates of a stack that OpenSSL has made.
    static func certificates(of reference: OpaquePointer?) throws(CryptoError) -> [Certificate] {
        var certificates: [Certificate] = []
        for index in 0..<max(0, unsafe OPENSSL_sk_num(reference)) {
            guard let one = unsafe OPENSSL_sk_value(reference, index) else { continue }
            certificates.append(try unsafe Certificate(OpaquePointer(one)))
        }
        return certificates
    }
}
