import KeychainModel
import KeychainWire
import LinuxSystem

/// Refusals about slots and settings.
extension Refusal {
    static func mistypedCode(_ mistake: RecoveryCode.Mistake) -> Refusal {
        let problem =
            switch mistake {
            case .characters: "It has a character that no recovery code has."
            case .length: "A recovery code has 30 letters and digits; this has another number of them."
            case .check: "Its letters and digits do not fit together: at least one of them is not as it was shown."
            }
        return Refusal(
            .param, .mistypedCode, "recovery code", "The recovery code was mistyped. \(problem)",
            do: "Compare it with what was written down. This did not count as an attempt.")
    }

    static func noSlot(for kind: CredentialKind) -> Refusal {
        let name =
            switch kind {
            case .passcode: "password"
            case .recoveryCode: "recovery code"
            case .pin: "PIN"
            }
        return Refusal(
            .authFailed, .noSlot, "slot", "No unlock slot of this keychain opens with a \(name).",
            do: "See security list-unlock-slots for what opens it.")
    }

    static func noSlot(_ number: UInt8) -> Refusal {
        Refusal(
            .itemNotFound, .noSlot, "slot", "There is no unlock slot \(number).",
            do: "See security list-unlock-slots for those there are.")
    }

    static var lastSlot: Refusal {
        Refusal(
            .param, .contradiction, "slot",
            "This is the slot of the password. Without it the keychain would be open to everybody "
                + "with this user's files, and the items that only a password may open would be destroyed.",
            do: "To remove the password all the same: security set-keychain-password -p \"\".")
    }

    static var slotNeedsPasscode: Refusal {
        Refusal(
            .authFailed, .passcodeNotSet, "slot",
            "Without a password the keychain opens by itself, and another way to open it would be good for nothing.",
            do: "Set a password first (security set-keychain-password).")
    }

    static var slotNeedsTPM: Refusal {
        Refusal(
            .notAvailable, .unavailable, "tpm",
            "The keys of this keychain do not rest on a TPM, so no TPM can open it.",
            do: "Move them there first: security move-enclave tpm.")
    }

    static var slotExists: Refusal {
        Refusal(
            .param, .contradiction, "slot", "There is a slot of this kind already.",
            do: "Remove it first (security remove-unlock-slot), or keep it.")
    }

    static var tooManySlots: Refusal {
        Refusal(
            .param, .tooLarge, "slot", "The keychain has \(UnlockSlot.most) unlock slots, and can have no more.",
            do: "Remove one that is no longer needed (security remove-unlock-slot).")
    }

    static func unwritableCode(_ error: SystemError) -> Refusal {
        Refusal(
            .param, .wrongValue, "recovery code", "The new recovery code cannot be handed over (\(error)).",
            do: "Send a memory file with room for it, as security add-unlock-slot does. No slot was added.")
    }

    static var lockedSettings: Refusal {
        Refusal(
            .interactionNotAllowed, .locked, "settings",
            "The settings can be changed only while the keychain is unlocked.",
            do: "Unlock it with its password: security unlock-keychain.")
    }

    static var idleTooLong: Refusal {
        Refusal(
            .param, .wrongValue, "settings", "The time without use is longer than a year.",
            do: "Give fewer seconds, or 0 for no limit.")
    }

    static func noWatch(_ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "threads", "The thread that locks the keychain cannot be started (\(error)).",
            do: "Raise the limit of threads (ulimit -u).")
    }
}
