import KeychainModel
import LinuxSystem

extension Refusal {
    static let circleIsLocked = Refusal(
        .interactionNotAllowed, .locked, "circle",
        "The keychain was not unlocked since the machine has started, and reads nothing of its circle before.",
        do: "Unlock it (security unlock-keychain).")

    static let inNoCircle = Refusal(
        .notAvailable, .noCircle, "circle", "This keychain belongs to no circle of machines.",
        do: "Begin one (security sync setup), or join that of another machine (security sync join).")

    static let circleNeedsPasscode = Refusal(
        .authFailed, .passcodeNotSet, "circle",
        "A circle needs a passcode: without one every program of the user could add machines to it.",
        do: "Set a passcode first (security set-keychain-password).")

    static let isInCircle = Refusal(
        .param, .contradiction, "circle", "This keychain belongs to a circle already.",
        do: "Add machines to this circle, or leave it first.")

    static let otherCircle = Refusal(
        .notAvailable, .contradiction, "circle",
        "The keychain's enclave belongs to another circle than its store, which is another or an older one.",
        do: "Leave the circle (security sync leave), and join it again; no item is lost.")

    static let notAddedYet = Refusal(
        .notAvailable, .notAMember, "circle", "This machine is not in its circle: nobody has added it yet.",
        do: "Repeat security sync join here, and security sync add-device on a machine that is in.")

    static let circleIsBeginning = Refusal(
        .notAvailable, .noGenerationKeys, "circle", "The circle's keys are not there yet.",
        do: "Wait until its first batches were carried (security sync now), and try again.")

    static let removedHere = Refusal(
        .notAvailable, .notAMember, "circle", "This machine was removed from its circle.",
        do: "Leave the circle; another machine can then add this one again.")

    static let circleIsDoubled = Refusal(
        .notAvailable, .contradiction, "circle",
        "Another copy of this machine writes in its name: it was cloned, or its keychain restored.",
        do: "Leave the circle on this machine, and join it again.")

    static let wrongPlace = Refusal(
        .param, .wrongValue, "place", "A circle cannot be kept at this place.",
        do: "Name a folder by its absolute path, or a server by its URL without a password.")

    static let wrongMachineName = Refusal(
        .param, .wrongValue, "name", "The name of a machine has 1 to 64 bytes of printable text.",
        do: "Give it another name.")

    static let noHash = Refusal(
        .internalError, .internalError, "circle", "A hash could not be made.", do: "Try again; nothing was changed.")

    static let noSignatureCheck = Refusal(
        .internalError, .internalError, "circle", "A signature could not be checked.",
        do: "Try again; nothing was changed.")

    static let notACircleFile = Refusal(
        .param, .wrongValue, "file", "What came with the request is no memory file, or larger than any batch.",
        do: "Give the bytes of the slot in a sealed memory file.")

    static let otherCircleFile = Refusal(
        .decode, .damagedFile, "circle",
        "The file keychain.circle next to the store is not one that this release reads.",
        do: "Put back the file, or leave the circle (security sync leave) and join it again; no item is lost.")

    static func unreadableCircleFile(_ error: SystemError) -> Refusal {
        Refusal(
            .io, .unavailable, "circle", "The file keychain.circle next to the store cannot be read: \(error).",
            do: "See to the disk and the file's permissions.")
    }

    static func noCircleFile(_ error: SystemError) -> Refusal {
        Refusal(
            .io, .unavailable, "circle", "The file keychain.circle next to the store cannot be written: \(error).",
            do: "See to the disk and the folder's permissions.")
    }
}
