package import KeychainModel
import KeychainWire
import LinuxSystem

// The refusals a server makes itself, before an engine has seen the request.
extension Refusal {
    static let busy = Refusal(
        .notAvailable, .unavailable, "queue", "Too many requests are waiting; this one was not performed.",
        do: "Try again.")

    /// - Parameter what: what the program has too many of.
    static func beyondShare(_ what: String) -> Refusal {
        Refusal(
            .notAvailable, .beyondShare, what,
            "The program has too many \(what) open; this request was not performed.",
            do: "Close or finish some, then try again. Other programs are served meanwhile.")
    }

    static let noConnection = Refusal(
        .notAvailable, .unavailable, "connections", "All connections of the daemon are taken, and none is idle.",
        do: "Try again.")

    static let unfinishedPasscode = Refusal(
        .notAvailable, .deadline, "passcode", "The passcode did not come to its end through its pipe in time.",
        do: "Write it and close the pipe, or give it in a memory file.")

    static let overfull = Refusal(
        .notAvailable, .unavailable, "memory", "Unfinished frames and unread answers fill the daemon's buffers.",
        do: "Finish what was begun, then connect again.")

    static let attachments = Refusal(
        .param, .malformedFrame, "descriptors", "Other file descriptors came with the frame than belong to it.",
        do: "Use a client and a daemon of the same release.")

    static let unclosedFiles = Refusal(
        .notAvailable, .unavailable, "descriptors",
        "Files that came with other requests of this user are not closed: their file system does not answer.",
        do: "End what serves that file system, and try again.")

    static let noPasscodeFile = Refusal(
        .param, .malformedFrame, "passcode", "What came along is no passcode.",
        do: "Give it in a sealed memory file, or through a pipe.")

    static let noTerminal = Refusal(
        .param, .malformedFrame, "terminal", "What came along is no terminal.", do: "Send the terminal of the program.")

    /// Any process that holds a connection reads its answers; only the one that made it may send requests.
    static let foreignSender = Refusal(
        .missingEntitlement, .foreignSender, "sender",
        "The request came from another process than the one that connected.",
        do: "Connect in each process: a connection can be neither handed over nor inherited.")

    static let unseenSender = Refusal(
        .notAvailable, .foreignSender, "sender",
        "The keychain daemon runs in a container, from where it does not see which program asks.",
        do: "End that daemon, or give the container a keychain of its own (KEYCHAIN_HOME).")

    static let changedCaller = Refusal(
        .missingEntitlement, .foreignSender, "sender",
        "The process that connected has ended, or an anchored one has executed another program.",
        do: "Connect again.")

    static let notIntroduced = Refusal(
        .missingEntitlement, .notIntroduced, "introduction",
        "An anchored program sends the number that it was given first, and this connection was not introduced so.",
        do: "Start the program again after an update; its library and the daemon must be of the same release.")

    static let wrongIntroduction = Refusal(
        .missingEntitlement, .notIntroduced, "introduction",
        "The number is not the one that was given to this connection, so it was not introduced.", do: "Connect again.")

    /// A complete frame that refuses the request with this id.
    func frame(id: UInt32) -> SecretBytes {
        let writer = ResponseWriter()
        writer.refuse(self, id: id)
        return writer.buffer.copy()
    }
}

extension Refusal.Rule {
    /// The request is not that of the process that was identified.
    package static let foreignSender = Self(rawValue: "access.foreign-sender")
    /// One program has more of the daemon than is its share.
    package static let beyondShare = Self(rawValue: "keychain.beyond-share")
    /// The connection of an anchored program was not introduced.
    package static let notIntroduced = Self(rawValue: "access.not-introduced")
}
