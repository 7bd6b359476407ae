import KeychainModel
import Systemd

extension BusFailure.Name {
    static let noSession = Self(rawValue: "org.freedesktop.Secret.Error.NoSession")
    static let isLocked = Self(rawValue: "org.freedesktop.Secret.Error.IsLocked")
    static let noSuchObject = Self(rawValue: "org.freedesktop.Secret.Error.NoSuchObject")
}

extension BusFailure {
    /// The object is not there, or not for this client. Clients know this error from other services for it.
    static func gone(_ path: String) -> BusFailure {
        BusFailure(.unknownMethod, "Object does not exist at path “\(path)”")
    }

    static func locked(_ what: String) -> BusFailure { BusFailure(.isLocked, what) }

    static let answerTooLarge = BusFailure(
        .limitsExceeded, "The values are too large for one answer. Ask for fewer items at once.")

    static let tooManyAttributes = BusFailure(
        .limitsExceeded,
        "An item has \(LookupAttributes.mostPairs) attributes and \(LookupAttributes.mostBytes) bytes of them at most, "
            + "and names of \(LookupAttributes.longestName) bytes.")

    /// A passcode goes from the user to the enclave, and through no program of the desktop.
    static let noPasscodeHere = BusFailure(
        .notSupported, "The keychain takes no passcode over the bus. Call Unlock, and it asks the user.")

    static func invalid(_ problem: String) -> BusFailure { BusFailure(.invalidArguments, problem) }

    /// A refusal of the keychain's. An empty answer never stands for items that could not be looked at.
    init(_ refusal: Refusal) {
        let name: Name = refusal.status == .interactionNotAllowed ? .isLocked : .failed
        self.init(name, "\(refusal.problem) \(refusal.remedy)")
    }
}

/// Runs what asks the keychain.
func asking<Result>(_ body: () throws(Refusal) -> Result) throws(BusFailure) -> Result {
    do throws(Refusal) { return try body() } catch { throw BusFailure(error) }
}
