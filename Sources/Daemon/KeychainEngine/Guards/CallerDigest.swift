import KeychainCrypto
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

extension CallerIdentity {
    /// The digest that identifies a caller to the enclave. A grant for one process of a program serves no other
    /// process, and no other program that calls itself the same in that process.
    ///
    ///     digest = SHA-256(user:u32 process:i32 anchored:u8 program:text source:text detail:text)
    ///
    /// - Throws: `errSecInternalComponent` when OpenSSL fails.
    func digest() throws(Refusal) -> [UInt8] {
        let buffer = SecretBuffer(capacity: 256)
        buffer.append(littleEndian: user)
        buffer.append(littleEndian: process)
        buffer.append(isAnchored ? 1 : 0)
        let words = CallerReport(self)
        for text in [program, words.source, words.detail] { buffer.append(text: text) }
        do throws(CryptoError) {
            return try buffer.withSpan { (bytes) throws(CryptoError) in try Digest.of(bytes, .sha256) }
        } catch { throw .cryptography(error) }
    }
}
