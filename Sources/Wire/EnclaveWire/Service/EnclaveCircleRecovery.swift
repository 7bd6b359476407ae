package import KeychainModel
package import LinuxSystem
package import SyncFormat

/// The enclave's calls for the recovery key of a circle: a member without a machine, whose keys follow from a code.
///
/// The code is made and read here, and shown and asked for by the agent. No daemon and no command sees it.
package protocol EnclaveCircleRecovery: Sendable {
    /// Makes a recovery key, and shows its code once, after asking the user. Those from before are removed, with new
    /// keys for the circle; machines that they have added stay.
    ///
    /// - Returns: nothing has changed until the user has closed what shows the code.
    /// - Throws: `errSecAuthFailed` (`circle.not-a-member`) when this machine is not in; `errSecItemNotFound`
    ///   (`circle.no-keys`); as ``EnclaveAuthenticationService/authenticate(_:by:)`` when the user does not agree.
    func makeRecoveryKey(asking question: CircleQuestion, by deadline: Deadline) throws(Refusal) -> [SyncStatement]

    /// Forgets the batches that were offered.
    func forgetOffers() throws(Refusal)

    /// Takes a batch of a circle that this machine may enter by a recovery key. It is not believed before
    /// ``recoverCircle(name:asking:by:)``.
    ///
    /// - Parameter batch: the whole batch, or a part of a snapshot. Batches are offered before the parts, and once more
    ///   behind them.
    /// - Throws: `errSecDecode` (`circle.malformed`); `errSecParam` (`circle.full`) when there is no more room.
    func offerBatch(_ batch: [UInt8]) throws(Refusal)

    /// Asks for a code, and enters the circle among those offered that was announced with it. Members and the newest
    /// change are shown first. The circle is verified from its genesis.
    ///
    /// - Parameter name: of this machine, for people; at most ``CircleState/nameBytes`` bytes.
    /// - Returns: the `add` of this machine, for its first batch.
    /// - Throws: `errSecParam` when the keychain belongs to a circle already; `errSecAuthFailed` without a passcode,
    ///   for a code that no circle was announced with, for one that was replaced, and for a circle that is forged;
    ///   `errSecItemNotFound` (`circle.no-keys`) where the key has no share yet; as
    ///   ``EnclaveAuthenticationService/authenticate(_:by:)`` when the user does not agree.
    func recoverCircle(
        name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement]
}
