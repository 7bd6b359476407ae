import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// Everything the enclave refuses, with the state that caused it.
extension Refusal {
    static func locked(_ accessibility: Accessibility) -> Refusal {
        Refusal(
            .interactionNotAllowed, .locked, accessibility.code,
            accessibility.availability == .sinceFirstUnlock
                ? "Items of the class \(accessibility.code) are closed until the device is unlocked for the first time."
                : "Items of the class \(accessibility.code) are closed while the device is locked.",
            do: "Unlock the keychain with its passcode: security unlock-keychain.")
    }

    /// For what is to be stored; Apple's add gives the same code (rule protection.passcode.required).
    static let needsPasscode = Refusal(
        .authFailed, .passcodeNotSet, Accessibility.whenPasscodeSetThisDeviceOnly.code,
        "Items that only a passcode may open cannot be stored while no passcode is set.",
        do: "Set a passcode first (security set-keychain-password), or choose another kSecAttrAccessible.")

    /// For what was stored when there was a passcode.
    static let passcodeClassDestroyed = Refusal(
        .interactionNotAllowed, .passcodeNotSet, Accessibility.whenPasscodeSetThisDeviceOnly.code,
        "The passcode was removed, and with it the key of the items that only a passcode may open.",
        do: "Delete these items and store them again.")

    static func wrongPasscode(wait: UInt32) -> Refusal {
        Refusal(
            .authFailed, .wrongPasscode, "passcode", "This is not the passcode.",
            do: wait == 0 ? "Try again." : "Wait \(inWords(wait)) before the next attempt.")
    }

    static func wrong(_ kind: CredentialKind, wait: UInt32) -> Refusal {
        let remedy = wait == 0 ? "Try again." : "Wait \(inWords(wait)) before the next attempt."
        switch kind {
        case .passcode: return wrongPasscode(wait: wait)
        case .recoveryCode:
            return Refusal(
                .authFailed, .wrongRecoveryCode, "recovery code",
                "This is a recovery code, but not one of this keychain: it was removed, or belongs to another one.",
                do: remedy)
        case .pin:
            return Refusal(.authFailed, .wrongPIN, "pin", "This is not the PIN.", do: remedy)
        }
    }

    static func throttled(wait: UInt32) -> Refusal {
        Refusal(
            .authFailed, .throttled, "passcode",
            "After too many wrong passcodes, codes or PINs none is looked at for another \(inWords(wait)), "
                + "not even the right one.",
            do: "Wait \(inWords(wait)) and try again.")
    }

    static var passcodeIsSet: Refusal {
        Refusal(
            .authFailed, .contradiction, "passcode", "A passcode is set already.",
            do: "Change it by giving the old one and the new one.")
    }

    static var noPasscode: Refusal {
        Refusal(
            .authFailed, .passcodeNotSet, "passcode", "No passcode is set, so there is none to change or remove.",
            do: "Set one by giving only the new one.")
    }

    static var emptyPasscode: Refusal {
        Refusal(
            .param, .wrongValue, "passcode", "The passcode is empty.",
            do: "Give at least one byte; to have no passcode, remove it.")
    }

    static func unreadablePasscode(_ error: SystemError) -> Refusal {
        Refusal(
            .param, .wrongValue, "passcode", "The passcode cannot be read (\(error)).",
            do: "Send it as a sealed memory file or through a pipe that is closed at its end.")
    }

    static func alreadyThere(_ kind: DeviceRootKind) -> Refusal {
        Refusal(
            .param, .contradiction, "enclave",
            kind == .tpm ? "The keys rest on the TPM already." : "The keys rest on the vault's file already.",
            do: "Nothing has to be done; security status shows what they rest on.")
    }

    static var damagedKey: Refusal {
        Refusal(
            .decode, .damaged, "key", "A wrapped key does not open: it is damaged, or was wrapped by another device.",
            do: "Restore the store that belongs to this device's vault. Nothing was changed.")
    }

    static func wrongSize(_ what: String) -> Refusal {
        Refusal(
            .param, .wrongValue, what, "The \(what) has another size than the enclave takes.",
            do: "Use programs of the same release.")
    }

    static func crypto(_ error: CryptoError) -> Refusal {
        if error == .authenticationFailed || error == .boxTooShort { return .damagedKey }
        return Refusal(
            .internalError, .internalError, "enclave", "The cryptographic library refused (\(error)).",
            do: "Free some memory and try again. Nothing was changed.")
    }

    private static func inWords(_ seconds: UInt32) -> String {
        if seconds == 1 { return "1 second" }
        if seconds < 120 { return "\(seconds) seconds" }
        return "\(seconds / 60 + (seconds % 60 == 0 ? 0 : 1)) minutes"
    }
}

// MARK: - The vault

extension Refusal {
    static func missingVault(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "vault",
            "The vault \(path) is missing; without its keys the items of this keychain cannot be opened.",
            do: "Put the vault back from a backup. No new one was made, because it could not open the existing items.")
    }

    static func unsettledVault(_ error: SystemError) -> Refusal {
        Refusal(
            .io, .unknownOutcome, "vault",
            "The vault was replaced, and the disk does not say that it keeps it (\(error)). "
                + "The change may or may not have been stored.",
            do: "Look after the disk, then see what the keychain says (security status).")
    }

    static var damagedVault: Refusal {
        Refusal(
            .decode, .damaged, "vault", "The vault is damaged: its content is not what was written.",
            do: "Put it back from a backup. Nothing was changed, so that what is left of it can be examined.")
    }

    static func laterVault(_ version: UInt16) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "vault",
            "The vault is of version \(version), which this release does not know.",
            do: "Use the release that wrote it, or a later one. Nothing was changed.")
    }

    static func exposedVault(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "vault", "The vault \(path) is not a file that belongs to this user alone.",
            do: "Check who could have read it, then make this user its owner and run chmod 600 on it.")
    }

    static var olderVault: Refusal {
        Refusal(
            .notAvailable, .olderVault, "vault",
            "The vault is an older one than the one that was here: "
                + "passwords and unlock slots in it may have been changed since.",
            do: "Put the newest vault back, or vault and store of the same backup. Nothing was changed.")
    }

    static var olderKeychain: Refusal {
        Refusal(
            .notAvailable, .olderKeychain, "vault",
            "Store and vault are older than this machine's TPM has seen them: an earlier copy was put back.",
            do: "Put the newest ones back; or, if this copy is meant, say so with security accept-store.")
    }

    static var exchangedVault: Refusal {
        Refusal(
            .notAvailable, .unavailable, "vault", "The vault was replaced by another one while it was in use.",
            do: "Put the right vault back, or start the program again to use the new one.")
    }

    static func vaultUnavailable(_ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "vault", "The vault cannot be used (\(error)).",
            do: "Check the folder, its permissions and the free space on its disk. Nothing was changed.")
    }
}
