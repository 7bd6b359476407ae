import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// A password of a program, which wraps a key under its class key (rule access-control.password.mixed): the cost of a
/// guess, and the salt.
///
///     box = AES-256-GCM(Argon2id(password, salt), key), without associated data: the box around it binds everything
struct ApplicationPassword {
    private let cost: Argon2id
    private let salt: [UInt8]

    /// For a key that is being wrapped.
    init(cost: Argon2id) { (self.cost, salt) = (cost, Randomness.bytes(16)) }

    /// Reads what a ``GuardBinding`` has; nil when it has none.
    ///
    /// - Throws: `errSecDecode` for a price that is not allowed. The binding must have been authenticated before.
    init?(_ binding: GuardBinding) throws(Refusal) {
        if binding.password.isEmpty { return nil }
        let bytes = binding.password.span
        guard bytes.count == GuardBinding.passwordBytes else { throw .damagedKey }
        do throws(CryptoError) {
            cost = try Argon2id(
                memory: bytes.littleEndian(UInt32.self, at: 0), passes: bytes.littleEndian(UInt32.self, at: 4))
        } catch { throw .damagedKey }
        salt = bytes.array(8, 16)
    }

    /// `memory:u32 passes:u32 salt:16`
    var encoded: [UInt8] {
        let numbers = [cost.memory, cost.passes].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        }
        return numbers + salt
    }

    /// Boxes a key.
    ///
    /// - Throws: `CryptoError.libraryFailure` when there is not enough memory.
    func seal(_ key: SecretBytes, under password: SecretBytes) throws(CryptoError) -> SecretBytes {
        let cipher = try cipher(password)
        let box = SecretBytes(count: key.count + AESGCM.overhead)
        try key.withSpan { (key) throws(CryptoError) in
            try box.withMutableSpan { (box) throws(CryptoError) in try cipher.seal(key, aad: Span(), into: &box) }
        }
        return box
    }

    /// Opens a box.
    ///
    /// - Throws: `errSecAuthFailed` (`state.wrong-password`) when the password is another one.
    func open(_ box: SecretBytes, with password: SecretBytes) throws(Refusal) -> SecretBytes {
        do throws(CryptoError) {
            let cipher = try cipher(password)
            let key = SecretBuffer(capacity: box.count)
            try box.withSpan { (box) throws(CryptoError) in try cipher.open(box, aad: Span(), into: key) }
            return key.finish()
        } catch { throw error == .authenticationFailed ? .wrongPassword : .crypto(error) }
    }

    private func cipher(_ password: SecretBytes) throws(CryptoError) -> AESGCM {
        let key = try password.withSpan { (password) throws(CryptoError) in
            try cost.derive(from: password, salt: salt.span, count: AESGCM.keySize)
        }
        return try key.makeCipher()
    }
}
