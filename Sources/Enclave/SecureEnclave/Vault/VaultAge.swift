import KeychainWire
import LinuxSystem

/// How often the vault was changed, and which stores it has seen: what tells an older vault or store from the newest.
///
///     age = changes:u64 block:u64 confirmed:u64 tick:u64
///
/// The store has a ``StoreMark``: the `changes` and the `block` that the vault had when it was marked. A mark is
/// written into the store after the vault that gives it is on disk, and a mark becomes `confirmed` when it was found in
/// the store. So these hold on disk whenever a crash comes: 1. `mark.changes` ≤ `changes`. A store that says more has
/// seen a newer vault. 2. `confirmed` ≤ `mark.block` ≤ `block`. A store that says less is an older one; without a mark
/// it is one too, as soon as any
///    is confirmed. A vault may lack blocks that it has given: nothing that opens anything is then older in it.
/// 3. `tick` is the count of the root, where it has one, or the next: the vault comes first, the root follows.
/// 4. No change of the vault makes any of the first three numbers smaller.
struct VaultAge: Equatable, Sendable {
    /// Replacements of the vault that could matter to who opens it: slots, settings, failed attempts.
    var changes: UInt64 = 0
    /// Blocks of writes that were begun. A vault that is made begins one.
    var block: UInt64 = 0
    /// The newest block that a store is known to be marked with; 0 while there is none.
    var confirmed: UInt64 = 0
    /// The root's count (``RootTick``).
    var tick: UInt64 = 0

    static let size = 32

    /// Whether a vault of this age was there before one of the other.
    func isOlder(than other: VaultAge) -> Bool {
        changes < other.changes || block < other.block || confirmed < other.confirmed
    }

    /// Counts a replacement.
    mutating func note(_ change: VaultChange) {
        switch change {
        case .content, .attempt: changes.countUp()
        case .block: block.countUp()
        }
    }

    /// Takes a mark for that of the store, which is one of the vault's own.
    mutating func confirm(_ mark: StoreMark) {
        block = max(block, mark.block)
        confirmed = max(confirmed, mark.block)
    }

    /// Takes a store for the one that is meant, which gets the mark of a new block: every store from before is an older
    /// one.
    mutating func acceptStore() {
        block.countUp()
        confirmed = block
    }

    func append(to buffer: SecretBuffer) {
        for number in [changes, block, confirmed, tick] { buffer.append(littleEndian: number) }
    }

    init() {}

    init(from bytes: Span<UInt8>, at offset: Int) {
        changes = bytes.littleEndian(UInt64.self, at: offset)
        block = bytes.littleEndian(UInt64.self, at: offset + 8)
        confirmed = bytes.littleEndian(UInt64.self, at: offset + 16)
        tick = bytes.littleEndian(UInt64.self, at: offset + 24)
    }
}

extension UInt64 {
    /// Adds one, and stays where it is at the end: a vault may say what it likes.
    mutating func countUp() { self = self == .max ? .max : self + 1 }
}

/// Why a vault is replaced.
enum VaultChange {
    /// Its slots or its settings have changed.
    case content
    /// An attempt at what opens it is counted, or forgotten.
    case attempt
    /// A block of the store's writes is over.
    case block
}
