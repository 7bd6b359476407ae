import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// A slot as the vault stores it: how a credential becomes a key, and the keybag key that this key wraps.
///
/// In versions 1 and 2 there is one slot, and its key is the keybag key itself; `wrappedKey` is empty then.
struct VaultSlot: Equatable, Sendable {
    let number: UInt8
    let kind: UnlockSlot.Kind
    /// The price of a guess; nil where there is nothing to guess.
    var cost: Argon2id?
    /// Makes guesses good for this slot only.
    var salt: [UInt8]
    /// The root's record of its lock; empty where it has none.
    var lock: [UInt8] = []
    var wrappedKey: [UInt8] = []

    static let saltBytes = 16

    /// A slot with a salt of its own, without a key in it.
    init(_ kind: UnlockSlot.Kind, number: UInt8 = 0, cost: Argon2id? = nil, salt: [UInt8]? = nil) {
        (self.number, self.kind, self.cost) = (number, kind, cost)
        self.salt = salt ?? (kind == .device ? [UInt8](repeating: 0, count: 16) : Randomness.bytes(16))
    }

    /// Whether it opens without a credential.
    var isUnattended: Bool { kind.credential == nil }
}
