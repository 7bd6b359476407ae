import EnclaveWire
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// The settings of the device and its details.
extension SoftwareEnclave {
    /// The longest time without use that can be asked for: a year. More would be no limit at all.
    package static let longestIdle: UInt32 = 366 * 24 * 60 * 60

    package func details() throws(Refusal) -> DeviceDetails {
        var details = try state.withLock { (state) throws(Refusal) in
            _ = try state.refreshOrTell(from: file)
            return state.details
        }
        details.agent = user.agent?.found()
        return details
    }

    package func change(_ settings: DeviceSettings) throws(Refusal) {
        guard settings.idleSeconds <= Self.longestIdle else { throw .idleTooLong }
        try policy.check(settings)
        _ = try status()
        try withVault { (vault) throws(Refusal) in
            if vault.passcode == nil {
                var keybag = try unlockedKeybag(of: vault)
                try modernise(&vault, &keybag)
            }
            try state.withLock { (state) throws(Refusal) in
                // The first unlock by this release upgrades the vault; only an upgraded vault stores settings.
                guard state.lockState == .unlocked, vault.version >= Vault.slotVersion else { throw .lockedSettings }
                vault.settings = settings
                let seen = try replace(&vault, counting: .content)
                state.keep(vault, seen: seen)
            }
        }
        lookAtTheClock()
    }
}
