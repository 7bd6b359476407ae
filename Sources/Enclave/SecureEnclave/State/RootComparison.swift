import KeychainModel
import LinuxSystem

/// The vault and its root's count, compared at a start.
extension DeviceState {
    /// Compares the vault with its root's count. The caller holds the vault's lock.
    ///
    /// - Throws: as ``VaultFile/replace(with:)``; when the root does not answer.
    mutating func checkRoot(of file: VaultFile) throws(Refusal) {
        guard let counter = try vault.counter(file.roots) else { return }
        let (tick, count) = (vault.age.tick, try counter.read())
        switch count {
        // No count either: it has no room for one.
        case .none where vault.version < Vault.slotVersion: break
        case .none where tick == 0, _ where tick == RootTick.beginning: try beginCounting(in: file, counter, count)
        case .value(tick): break
        case .value(let count) where count &+ 1 == tick: try counter.advance()
        default: distrust(.olderThanRoot)
        }
    }

    /// Gives a vault its count. Where the root has no room for one, the vault goes without, and the next start tries
    /// again.
    private mutating func beginCounting(
        in file: VaultFile, _ counter: any RootCounter, _ count: RootCount
    ) throws(Refusal) {
        if vault.age.tick == 0 { try keep(tick: RootTick.beginning, in: file) }
        if case .value(let count) = count {
            try keep(tick: count, in: file)
        } else if let made = try? counter.make() {
            try keep(tick: made, in: file)
        }
    }

    private mutating func keep(tick: UInt64, in file: VaultFile) throws(Refusal) {
        var vault = vault
        vault.age.tick = tick
        vault.note(.block)
        keep(vault, seen: try file.replace(with: vault))
    }
}
