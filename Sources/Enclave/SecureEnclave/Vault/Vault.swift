import EnclaveWire
import FileFormat
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The enclave's persistent state: the record of the device key's root, the slots that open the keybag, and the class
/// keys.
///
/// New vaults are of version 4, of version 5 while their keychain belongs to a circle, and of version 6 while it has
/// recovery recipients. One of version 3 has no
/// ``VaultAge`` and becomes version 4 when it is next written. Those of the releases before are of version 1 (in
/// software) or 2 (on a TPM, or moved): they have one slot, whose key wraps the class keys itself. They are read, and
/// their failed attempts are counted, without a change of version. They become version 4 when their keys are next
/// wrapped again (``modernised(_:)``). ``encoded()`` has the grammar.
struct Vault: Sendable {
    static let firstVersion: UInt16 = 1
    static let movableVersion: UInt16 = 2
    static let slotVersion: UInt16 = 3
    static let agedVersion: UInt16 = 4
    static let circleVersion: UInt16 = 5
    static let recoveryVersion: UInt16 = 6

    private(set) var version: UInt16
    let identifier: [UInt8]
    let device: Device
    /// The passcode's, or the device's alone, is the first.
    var slots: [VaultSlot] = [VaultSlot(.device)]
    var settings = DeviceSettings()
    var attempts = FailedAttempts()
    /// Zero in the versions before 4.
    var age = VaultAge()
    /// The circle of machines that the keychain belongs to.
    private(set) var circle: CircleRecord?
    /// Open each new protected file without the keychain.
    private(set) var recovery: [RecoveryRecipient] = []
    /// Somebody with the passcode has named these recipients. Empty without any.
    private(set) var recoveryProof: [UInt8] = []
    /// By class, in the order of `Accessibility`; empty for a key that does not exist.
    var wrappedKeys: [[UInt8]]
    /// Empty in version 1, which makes the index key from the device key.
    var wrappedIndexKey: [UInt8] = []

    /// The device key, and what the vault keeps of it.
    struct Device: Sendable {
        let kind: DeviceRootKind
        let record: SecretBytes
        let key: SecretBytes
    }

    var deviceKey: SecretBytes { device.key }

    /// A vault without a passcode and without class keys, which ``Keybag/sealed(in:)`` puts in.
    init(_ version: UInt16, identifier: [UInt8], on device: Device) {
        (self.version, self.identifier, self.device) = (version, identifier, device)
        wrappedKeys = Accessibility.allCases.map { _ in [] }
    }
}

extension Vault.Device {
    /// Makes a new one.
    init(on root: any DeviceRoot) throws(Refusal) {
        let (record, secret) = try root.makeDevice()
        self.init(kind: root.kind, record: record, key: secret)
    }
}

extension Vault {
    /// The slot of the passcode; nil when none is set.
    var passcode: VaultSlot? { slots.first { $0.kind == .passcode } }

    /// The slot for the classes that need no more than a running device.
    var unattendedSlot: VaultSlot? { slots.first(where: \.isUnattended) }

    /// Counts that it is replaced. Keys wrapped in version 3 are wrapped the same way in version 4.
    mutating func note(_ change: VaultChange) {
        guard version >= Self.slotVersion else { return }
        version = max(version, Self.agedVersion)
        age.note(change)
    }

    /// Keeps what is known of the circle. The vault must have slots.
    mutating func keep(_ circle: CircleRecord) {
        self.circle = circle
        chooseVersion()
    }

    /// Forgets the circle, with the private keys that this machine had in it.
    mutating func forgetCircle() {
        guard circle != nil else { return }
        circle = nil
        chooseVersion()
    }

    /// Replaces the recovery recipients. The vault must have slots.
    mutating func keep(recovery recipients: [RecoveryRecipient], proof: [UInt8]) {
        (recovery, recoveryProof) = (recipients, proof)
        chooseVersion()
    }

    /// The earliest version that has room for what is kept, so that earlier releases read what they can.
    private mutating func chooseVersion() {
        version = !recovery.isEmpty ? Self.recoveryVersion : circle != nil ? Self.circleVersion : Self.agedVersion
    }
}
