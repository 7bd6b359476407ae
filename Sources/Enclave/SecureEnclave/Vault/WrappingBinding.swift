import FileFormat
import KeychainModel
import KeychainWire
import LinuxSystem

/// The identity that a wrapped key is bound to: the associated data of its AES-256-GCM box.
///
///     binding = class:u8 purpose:u8 version:u16 whose
///
/// `whose` is a row, a vault, the head of a sealed key, id and head of a shelf, or a circle with the part that it is. A
/// slot or recovery recipients may follow a vault. A wrapped key that is moved to another class, another purpose or
/// another row does not open. The binding of a row's key is also the beginning of its `RowKeyRecord`.
enum WrappingBinding {
    private enum Purpose: UInt8 {
        case row = 0
        case metadata = 1
        case classKey = 2
        case sealedKey = 3
        case indexKey = 4
        case slot = 5
        case shelf = 6
        case circle = 7
        case recovery = 8
    }

    /// How much of a row's record is its binding.
    static let rowBytes = 20

    /// A row's secret key; `row` has 16 bytes.
    static func row(_ row: Span<UInt8>, _ accessibility: Accessibility) -> [UInt8] {
        [accessibility.rawValue, Purpose.row.rawValue, 0, 0] + row.array(0, row.count)
    }

    static func metadata(_ accessibility: Accessibility) -> [UInt8] {
        [accessibility.rawValue, Purpose.metadata.rawValue, 0, 0]
    }

    /// A private key that programs use and never see.
    static func sealedKey(head: [UInt8], _ accessibility: Accessibility) -> [UInt8] {
        [accessibility.rawValue, Purpose.sealedKey.rawValue, 0, 0] + head
    }

    /// The keys of a shelf, which wrap the keys of files.
    static func shelf(_ id: [UInt8], head: [UInt8], _ accessibility: Accessibility) -> [UInt8] {
        [accessibility.rawValue, Purpose.shelf.rawValue, 0, 0] + id + head
    }

    /// The boxes that a vault has of a circle: keys of this machine, of generations, and names of machines.
    enum CirclePart: UInt8 {
        case signing = 1
        case agreement = 2
        case recordKey = 3
        case common = 4
        case unlocked = 5
        case name = 6
    }

    /// - Parameter whose: the member or the generation, 16 bytes.
    static func circle(
        _ part: CirclePart, _ circle: [UInt8], whose: [UInt8], _ accessibility: Accessibility
    ) -> [UInt8] {
        [accessibility.rawValue, Purpose.circle.rawValue, 0, 0] + circle + [part.rawValue] + whose
    }

    static func classKey(_ accessibility: Accessibility, of vault: Vault) -> [UInt8] {
        binding(accessibility.rawValue, .classKey, of: vault)
    }

    static func indexKey(of vault: Vault) -> [UInt8] { binding(0, .indexKey, of: vault) }

    /// The keybag key in a slot.
    static func slot(_ slot: VaultSlot, of vault: Vault) -> [UInt8] {
        binding(slot.kind.rawValue, .slot, of: vault) + [slot.number] + slot.salt
    }

    /// The recovery recipients of a vault, in their order.
    static func recovery(
        _ recipients: [RecoveryRecipient], _ accessibility: Accessibility, of vault: Vault
    ) -> [UInt8] {
        binding(accessibility.rawValue, .recovery, of: vault) + recipients.flatMap(\.bytes)
    }

    private static func binding(_ accessibility: UInt8, _ purpose: Purpose, of vault: Vault) -> [UInt8] {
        // Version 4 wraps as version 3 did, so that one becomes the other without the keys.
        let version = UInt8(min(vault.version, Vault.slotVersion))
        return [accessibility, purpose.rawValue, version, 0] + vault.identifier
    }
}
