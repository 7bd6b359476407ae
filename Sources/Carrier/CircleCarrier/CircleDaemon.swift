package import KeychainModel
package import KeychainWire
package import SyncFormat
package import SyncTransports

/// The daemon of a keychain, as a carrier asks it. The daemon has the state of the circle and believes nothing that a
/// carrier says. Every call ends by itself.
package protocol CircleDaemon: Sendable {
    /// Which circle the keychain belongs to, and what it has read; nil when it belongs to none.
    ///
    /// - Throws: what the daemon refuses with, or `errSecNotAvailable` when it does not answer.
    func positions() throws(Refusal) -> SyncPositions?

    /// Hands over what the transport has in a slot.
    ///
    /// - Throws: as ``positions()``.
    func take(_ bytes: [UInt8], in slot: SyncSlot) throws(Refusal) -> SyncVerdict

    /// Says what a look has shown, or why there was none.
    ///
    /// - Throws: as ``positions()``.
    func saw(_ view: SyncView) throws(Refusal)

    /// The next slot to create, with its bytes; nil when there is nothing to say.
    ///
    /// - Throws: as ``positions()``.
    func next() throws(Refusal) -> (slot: SyncSlot, bytes: [UInt8])?

    /// Says what became of that slot.
    ///
    /// - Throws: as ``positions()``.
    func ended(_ slot: SyncSlot, _ commitment: Commitment) throws(Refusal)

    /// Says that the transport has slots of ``SyncPositions/discarding`` no more.
    ///
    /// - Throws: as ``positions()``.
    func discarded(_ slots: [SyncSlot]) throws(Refusal)

    /// Waits until there is something to say, or the user wants a round, or the time is over.
    ///
    /// - Parameter number: that of the last answer or of ``positions()``.
    /// - Returns: another number when there is news.
    /// - Throws: as ``positions()``.
    func wait(after number: UInt64, milliseconds: UInt32) throws(Refusal) -> UInt64

    /// Hands over what the place has of pairings, or why it has nothing.
    ///
    /// - Returns: the pairing that is under way; nil for none.
    /// - Throws: as ``positions()``.
    func pairing(_ look: PairingLook) throws(Refusal) -> SyncPairing?
}
