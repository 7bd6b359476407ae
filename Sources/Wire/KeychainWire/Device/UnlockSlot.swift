package import KeychainModel
package import LinuxSystem

/// One of the ways that open a keychain; each wraps the same key on its own, and comes and goes without the others.
package struct UnlockSlot: Hashable, Sendable {
    /// The kind of credential that opens it.
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// The device alone: there while no passcode is set, and then the only one.
        case device = 1
        case passcode = 2
        /// A code that the enclave made, shown once.
        case recovery = 3
        /// The machine's TPM, without anybody.
        case tpm = 4
        /// A PIN that the machine's TPM counts the tries of.
        case tpmWithPIN = 5

        /// The credential that opens it; nil when it needs none.
        package var credential: CredentialKind? {
            switch self {
            case .device, .tpm: nil
            case .passcode: .passcode
            case .recovery: .recoveryCode
            case .tpmWithPIN: .pin
            }
        }
    }

    /// 0 for the passcode, or the device alone; the others from 1.
    package let number: UInt8
    package let kind: Kind

    package init(number: UInt8, kind: Kind) { (self.number, self.kind) = (number, kind) }

    /// How many a keychain may have: as many as LUKS gave a disk at first.
    package static let most = 8
}

/// A person's credential for a keychain.
package enum CredentialKind: UInt8, Sendable, CaseIterable {
    case passcode = 1
    case recoveryCode = 2
    case pin = 3
}

/// When a keychain locks by itself.
package struct DeviceSettings: Hashable, Sendable {
    package var locksOnSleep: Bool
    /// Seconds without use after which it locks; 0 for never.
    package var idleSeconds: UInt32

    package init(locksOnSleep: Bool = false, idleSeconds: UInt32 = 0) {
        (self.locksOnSleep, self.idleSeconds) = (locksOnSleep, idleSeconds)
    }
}

/// The slots and settings of a device.
///
///     details  = settings count:u8 *(number:u8 kind:u8) hasAgent:u8 [report] [recovery]
///     settings = flags:u8 idle:u32                            ; bit 0: locks on sleep
package struct DeviceDetails: Hashable, Sendable {
    package var settings: DeviceSettings
    package var slots: [UnlockSlot]
    /// The prompt methods that there are; nil where nobody asks the user.
    package var agent: AgentReport?
    /// The recovery recipients that each new protected file gets, as age writes them.
    package var recovery: RecoveryTexts

    package init(
        settings: DeviceSettings, slots: [UnlockSlot], agent: AgentReport? = nil, recovery: RecoveryTexts = .none
    ) {
        (self.settings, self.slots, self.agent, self.recovery) = (settings, slots, agent, recovery)
    }

    package func append(to buffer: SecretBuffer) {
        settings.append(to: buffer)
        buffer.append(UInt8(truncatingIfNeeded: min(slots.count, UnlockSlot.most)))
        for slot in slots.prefix(UnlockSlot.most) {
            buffer.append(slot.number)
            buffer.append(slot.kind.rawValue)
        }
        buffer.append(agent == nil ? 0 : 1)
        agent?.append(to: buffer)
        // Earlier releases know no more.
        if recovery != .none { recovery.append(to: buffer) }
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        settings = try DeviceSettings(from: &reader)
        slots = []
        let count = try reader.integer(UInt8.self)
        guard count <= UnlockSlot.most else { throw .malformed("the number of unlock slots") }
        for _ in 0..<count {
            let number = try reader.integer(UInt8.self)
            guard let kind = UnlockSlot.Kind(rawValue: try reader.integer(UInt8.self)) else {
                throw .malformed("an unlock slot")
            }
            slots.append(UnlockSlot(number: number, kind: kind))
        }
        agent = try reader.integer(UInt8.self) == 0 ? nil : try AgentReport(from: &reader)
        recovery = .none
        guard !reader.isAtEnd else { return }
        recovery = try RecoveryTexts(from: &reader)
        guard recovery != .none else { throw .malformed("the number of recovery recipients") }
    }
}

extension DeviceSettings {
    package func append(to buffer: SecretBuffer) {
        buffer.append(locksOnSleep ? 1 : 0)
        buffer.append(littleEndian: idleSeconds)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        let flags = try reader.integer(UInt8.self)
        guard flags <= 1 else { throw .malformed("the settings") }
        self.init(locksOnSleep: flags == 1, idleSeconds: try reader.integer(UInt32.self))
    }
}

extension CredentialKind {
    /// - Throws: `errSecParam` (`wire.malformed`) for one that this release does not know.
    package init(from reader: inout WireReader) throws(Refusal) {
        guard let kind = Self(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("a credential") }
        self = kind
    }
}

extension UnlockSlot.Kind {
    /// - Throws: `errSecParam` (`wire.malformed`) for one that this release does not know.
    package init(from reader: inout WireReader) throws(Refusal) {
        guard let kind = Self(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("an unlock slot") }
        self = kind
    }
}
