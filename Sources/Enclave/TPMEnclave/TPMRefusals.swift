package import KeychainModel
import LinuxSystem

/// Refusals for failures of the TPM.
extension TPMFailure {
    /// The refusal this becomes at the module's border.
    ///
    /// - Parameter address: how the TPM is reached.
    func refusal(_ address: String) -> Refusal {
        switch self {
        case .gone(let why): .unreachableTPM(address, why)
        case .silent: .silentTPM(address)
        case .otherTPM(let what): .otherTPM(what)
        case .malformed: .damagedTPMObject
        case .library(let code): .refusedByTPM(Self.text(code), status: .notAvailable)
        case .response(let code): Self.refusal(code)
        }
    }

    private static func refusal(_ code: UInt32) -> Refusal {
        switch code {
        case ResponseCode.lockout: .lockedOutTPM
        case ResponseCode.badAuth, ResponseCode.authFail: .passwordOfTPM
        case ResponseCode.eccPoint: .wrongPoint
        case ResponseCode.notStarted: .unstartedTPM
        default: .refusedByTPM(text(code), status: .internalError)
        }
    }
}

extension Refusal.Rule {
    /// The object was made by another TPM, or by this one before it was cleared.
    package static let otherTPM = Self(rawValue: "tpm.other")
    /// The TPM accepts no authorisation for a while.
    package static let tpmLockout = Self(rawValue: "tpm.lockout")
}

extension Refusal {
    fileprivate static func unreachableTPM(_ address: String, _ why: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "tpm", "The TPM at \(address) cannot be reached (\(why)).",
            do: "Check that it is there, that this user may use it (group tss for /dev/tpmrm0), and KEYCHAIN_TPM.")
    }

    fileprivate static func silentTPM(_ address: String) -> Refusal {
        Refusal(
            .notAvailable, .deadline, "tpm", "The TPM at \(address) does not answer.",
            do: "End other programs that use it without a resource manager, then try again. Nothing was changed.")
    }

    fileprivate static func otherTPM(_ what: TPMFailure.OtherTPM) -> Refusal {
        let problem =
            switch what {
            case .cleared:
                "This TPM has been cleared since the keychain was bound to it, and with it the keychain's keys."
            case .exchanged: "The keychain is bound to the TPM of another machine."
            case .unknown: "The key belongs to another TPM, or to this one before it was cleared."
            }
        return Refusal(
            .notAvailable, .otherTPM, "tpm", problem,
            do: what == .cleared
                ? "Use a copy from before it rested on the TPM, if there is one. What is here was left as it is."
                : "Use it on the machine it belongs to. Nothing was changed.")
    }

    fileprivate static var damagedTPMObject: Refusal {
        Refusal(
            .decode, .damaged, "tpm", "What was kept of the TPM's key is damaged.",
            do: "Use a copy of the vault from before the damage. Nothing was changed.")
    }

    fileprivate static var lockedOutTPM: Refusal {
        Refusal(
            .authFailed, .tpmLockout, "tpm", "After too many wrong passcodes the TPM looks at none for a while.",
            do: "Wait, or let the TPM's owner reset its lockout (tpm2_dictionarylockout --clear-lockout).")
    }

    fileprivate static var passwordOfTPM: Refusal {
        Refusal(
            .notAvailable, .unavailable, "tpm",
            "The TPM's owner has set a password, and made no storage key for others.",
            do: "Let the owner make one at 0x81000001 (TCG provisioning guidance), or use the software enclave.")
    }

    fileprivate static var wrongPoint: Refusal {
        Refusal(
            .param, .wrongValue, "publicKey", "The other side's public key is not a point of the curve P-256.",
            do: "Check where it comes from.")
    }

    fileprivate static var unstartedTPM: Refusal {
        Refusal(
            .notAvailable, .unavailable, "tpm", "The TPM has not been started by the system's firmware.",
            do: "Start it (tpm2_startup -c), or enable it in the firmware's settings.")
    }

    fileprivate static func refusedByTPM(_ text: String, status: KeychainStatus) -> Refusal {
        Refusal(
            status, .internalError, "tpm", "The TPM refused (\(text)).",
            do: "Try again; if it stays so, look for it in the documentation of the TPM. Nothing was changed.")
    }
}
