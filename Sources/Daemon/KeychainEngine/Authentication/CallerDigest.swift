import KeychainCrypto
import KeychainModel
import KeychainPolicy
import KeychainStore
import LinuxSystem

extension CallerIdentity {
    /// What the enclave knows a caller by: what was shown for one process of a program serves no other.
    ///
    ///     digest = SHA-256(user:u32 process:i32 program)
    ///
    /// - Throws: `errSecInternalComponent` when OpenSSL fails.
    func digest() throws(Refusal) -> [UInt8] {
        let buffer = SecretBuffer(capacity: 256)
        buffer.append(littleEndian: user)
        buffer.append(littleEndian: process)
        let name = Array(program.utf8)
        buffer.append(name.span)
        do throws(CryptoError) {
            return try buffer.withSpan { (bytes) throws(CryptoError) in try Digest.of(bytes, .sha256) }
        } catch { throw .cryptography(error) }
    }
}
