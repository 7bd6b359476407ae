package import KeychainModel
package import LinuxSystem
package import SyncFormat

/// The enclave's calls for a pairing: of a member of a circle and a newcomer. Their user reads digits on the one and
/// enters them on the other (docs/formats/sync.md, section 11).
///
/// Daemons carry the messages, and learn neither digits nor what is sealed. One pairing at a time is under way; it ends
/// after ten minutes, and when the digits were wrong.
package protocol EnclavePairingService: Sendable {
    /// Begins a pairing on a member. The one before ends.
    ///
    /// - Returns: the message of the first slot, whose name it has.
    /// - Throws: `errSecAuthFailed` (`circle.not-a-member`) when this machine is not in.
    func beginPairing() throws(Refusal) -> [UInt8]

    /// Shows the digits on the member, until the newcomer has proved that it knows them, or the user has closed them. A
    /// user who declines ends the pairing.
    ///
    /// - Throws: `errSecNotAvailable` (`circle.no-pairing`) when none is under way; as
    ///   ``EnclaveAuthenticationService/authenticate(_:by:)`` when nobody can be shown anything.
    func showDigits(asking question: CircleQuestion, by deadline: Deadline) throws(Refusal)

    /// Takes the newcomer's answer on the member. One without the right digits ends the pairing.
    ///
    /// - Parameters:
    ///   - name: of this machine, for people; at most ``CircleState/nameBytes`` bytes.
    ///   - positions: what this machine has read of all logs, and its own log.
    ///   - token: with which the newcomer opens the transport; may be empty.
    /// - Returns: the welcome.
    /// - Throws: `errSecAuthFailed` (`circle.wrong-digits`), and the pairing is over; `errSecNotAvailable`
    ///   (`circle.no-pairing`), also before the digits were shown; `errSecDecode` for a message of another pairing.
    func answerPairing(
        _ message: [UInt8], name: String, positions: [SyncPosition], token: SecretBytes
    ) throws(Refusal) -> [UInt8]

    /// Asks for the digits on the newcomer, and takes the first message.
    ///
    /// - Returns: the answer.
    /// - Throws: `errSecParam` when the keychain belongs to a circle already; `errSecAuthFailed` without a passcode;
    ///   `errSecDecode` for a message that is none; as ``EnclaveAuthenticationService/authenticate(_:by:)`` when the
    ///   user does not enter digits.
    func joinPairing(
        _ message: [UInt8], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [UInt8]

    /// Takes the member's welcome on the newcomer, which enters the circle then (``EnclaveCircleService``).
    ///
    /// - Throws: `errSecAuthFailed` (`circle.wrong-digits`) when the member does not know the digits: the pairing is
    ///   over; `errSecNotAvailable` (`circle.no-pairing`); `errSecDecode`.
    func finishPairing(_ message: [UInt8]) throws(Refusal) -> PairingWelcome

    /// Introduces this machine, which has entered the circle of the welcome, to the member.
    ///
    /// - Parameter name: for people, at most ``CircleState/nameBytes`` bytes.
    /// - Returns: the last message.
    /// - Throws: `errSecNotAvailable` (`circle.no-pairing`); `errSecParam` for a name of another size.
    func introduce(name: String) throws(Refusal) -> [UInt8]

    /// Adds the machine that has introduced itself, after asking the user of the member: under its name, and with its
    /// keys, and no others.
    ///
    /// - Throws: `errSecNotAvailable` (`circle.no-pairing`); `errSecDecode` for a message that the newcomer has not
    ///   made; as ``EnclaveAuthenticationService/authenticate(_:by:)`` when the user does not agree.
    func addPaired(
        _ message: [UInt8], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement]
}
