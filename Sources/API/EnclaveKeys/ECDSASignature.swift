public import Foundation
internal import KeychainCrypto

extension SecureEnclave.P256.Signing {
    /// A signature: two numbers, r and s.
    public struct ECDSASignature: Hashable, Sendable {
        /// r ‖ s, 32 bytes each (RFC 4754).
        public let rawRepresentation: Data

        /// Reads r ‖ s.
        ///
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for another length than 64 bytes.
        public init(rawRepresentation: some DataProtocol) throws(EnclaveKeyError) {
            guard rawRepresentation.count == 64 else {
                throw .malformed("a signature", expected: "It takes 64 bytes: r and s.")
            }
            self.rawRepresentation = Data(rawRepresentation)
        }

        /// Reads DER `SEQUENCE { r, s }` (ANSI X9.62), as OpenSSL makes it.
        ///
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything else, or more.
        public init(derRepresentation: some DataProtocol) throws(EnclaveKeyError) {
            let bytes = Array(derRepresentation)
            do throws(CryptoError) {
                rawRepresentation = Data(try KeychainCrypto.ECDSASignature(x962: bytes.span).plain(bits: 256))
            } catch {
                throw .malformed("a signature in DER", expected: "It takes a SEQUENCE of two INTEGERs.")
            }
        }

        /// DER `SEQUENCE { r, s }` (ANSI X9.62), as OpenSSL and most servers take it.
        public var derRepresentation: Data {
            // 64 bytes always have this form: both numbers fit the field.
            let encoded = try? KeychainCrypto.ECDSASignature(plain: Array(rawRepresentation).span, bits: 256).x962()
            return Data(encoded ?? [])
        }
    }
}
