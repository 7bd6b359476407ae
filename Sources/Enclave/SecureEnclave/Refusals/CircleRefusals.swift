import KeychainModel

/// The enclave's refusals about its circle.
extension Refusal {
    static let noCircle = Refusal(
        .notAvailable, .noCircle, "circle", "This keychain belongs to no circle of machines.",
        do: "Begin a circle on this machine, or have another machine add it to its own.")

    static let circleIsThere = Refusal(
        .param, .contradiction, "circle", "This keychain belongs to a circle already.",
        do: "Add machines to this circle; a keychain belongs to one.")

    static let circleNeedsPasscode = Refusal(
        .authFailed, .passcodeNotSet, "circle",
        "A circle needs a passcode: without one every program of the user could add machines to it.",
        do: "Set a passcode first (security set-keychain-password).")

    static let malformedBatch = Refusal(
        .decode, .malformedBatch, "batch", "The batch is not one of this circle, or not as it was written.",
        do: "Fetch it again; if it stays so, its author or the place that keeps it is not to be trusted.")

    static let unknownAuthor = Refusal(
        .itemNotFound, .unknownAuthor, "batch", "Nobody that this machine knows has added the author of the batch.",
        do: "Read the other logs first: the batch that adds the machine may be there.")

    static let forgedBatch = Refusal(
        .authFailed, .forgedBatch, "batch", "The batch was not signed by the machine that it names as its author.",
        do: "Fetch it again; if it stays so, the place that keeps it is not to be trusted.")

    static let laterBatch = Refusal(
        .notAvailable, .laterBatch, "batch", "The batch is of a later release, which this one does not know.",
        do: "Install the later release on this machine too.")

    static let notAMember = Refusal(
        .authFailed, .notAMember, "circle", "The machine is not in the circle, or was removed from it.",
        do: "Add it first; a machine that was removed is added with new keys.")

    static let notOfThisMachine = Refusal(
        .authFailed, .notAMember, "batch", "The batch is not one of this machine in its circle.",
        do: "Use the circle and the machine that the enclave names.")

    static let notStated = Refusal(
        .authFailed, .notStated, "batch", "The batch states something that the enclave has not made.",
        do: "Have the enclave make the statement; it asks its user where that is needed.")

    static let noGenerationKeys = Refusal(
        .itemNotFound, .noGenerationKeys, "circle", "This machine has not got these keys of the circle.",
        do: "Wait until another machine that is unlocked has shared them.")

    static let retiredGeneration = Refusal(
        .authFailed, .retiredGeneration, "circle", "A machine that was removed has these keys of the circle.",
        do: "Use the newest keys.")

    static let generationIsThere = Refusal(
        .param, .contradiction, "circle", "The circle has keys that can be used.",
        do: "Use these; new ones come with the removal of a machine.")

    static let fullCircle = Refusal(
        .param, .fullCircle, "circle", "The circle has as many machines, removals and keys as a vault can keep.",
        do: "Begin a new circle with the machines that are in use.")

    static let noPairing = Refusal(
        .notAvailable, .noPairing, "circle",
        "No pairing is under way at this point: it was never begun, has ended, or took more than ten minutes.",
        do: "Begin one on a machine of the circle, and enter its digits on the other machine within ten minutes.")

    static let malformedPairing = Refusal(
        .decode, .malformedBatch, "circle", "The message is not one of this pairing, or not as it was written.",
        do: "Begin another pairing; if it stays so, the place that carries the messages is not to be trusted.")

    static let wrongDigits = Refusal(
        .authFailed, .wrongDigits, "circle", "The other machine does not know the digits of this pairing.",
        do: "Begin another pairing, and enter the digits that the other machine shows.")

    static let malformedDigits = Refusal(
        .authFailed, .wrongDigits, "circle", "The digits of a pairing are eight.",
        do: "Enter the eight digits that the other machine shows; spaces between them do not matter.")

    static let mistypedCircleCode = Refusal(
        .authFailed, .mistypedCode, "circle", "That is no recovery code: characters are missing, or one is another.",
        do: "Enter the code as it was shown: six groups of five letters and digits.")

    static let malformedMachine = Refusal(
        .param, .wrongValue, "circle", "The name or the keys of the machine are not as they have to be.",
        do: "Give a name of 1 to 64 bytes, and the keys that the machine's own enclave has made.")
}
