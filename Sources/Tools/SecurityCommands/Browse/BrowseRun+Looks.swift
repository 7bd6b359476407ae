import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TerminalScreen

/// The looks at whether the keychains are open, once a second.
extension BrowseRun {
    private static let call = "browse"
    /// The milliseconds in which a daemon answers a look. A value must not stay because of one that is stopped.
    static let patience = 1000
    /// So many looks without an answer mean that a keychain is gone. Before that it may be slow.
    private static let mostMisses = 5
    /// Seconds after which a keychain that did not answer is asked again.
    private static let silentTime = 5.0

    /// Looks whether the keychain was locked or went away.
    func look() throws(SystemError) {
        let (wasLocked, wasLost, hadMisses) = (browser.status.isLocked, browser.lost != nil, misses > 0)
        do throws(CommandFailure) {
            try session.asking(by: .after(milliseconds: Self.patience)) { () throws(CommandFailure) in
                try readStatus()
            }
            (browser.lost, misses) = (nil, 0)
        } catch { return try miss(error) }
        if browser.status.isLocked, !wasLocked {
            // Nothing of it may stay, whatever is drawn next.
            try hideSecret()
            browser.lockDown()
            screen.forget()
        } else if !browser.status.isLocked, wasLocked || wasLost {
            read()
        } else if !browser.status.isLocked {
            do throws(CommandFailure) {
                // Another program has created or deleted one, or has changed which are searched.
                guard try session.searchList(Self.call) == browser.keychains else { return try readAgain() }
                let lockedNow = lockedKeychains()
                if let item = browser.layers.last?.item, silence[item.keychain] != nil { try eraseSecret() }
                guard lockedNow == browser.locked else { return try readWhatIsOpen(without: lockedNow) }
                try readChanges()
                if hadMisses { try answered { () throws(CommandFailure) in try readMissing() } }
            } catch {
                if error.isLate { return try miss(error) }
                show(failure: error)
            }
        }
    }

    /// There was no answer. A value goes at once.
    private func miss(_ failure: CommandFailure) throws(SystemError) {
        try hideSecret()
        misses += 1
        guard failure.isLate, misses < Self.mostMisses, browser.lost == nil else {
            return try lose(FailureText(failure))
        }
        browser.note = "The keychain does not answer."
    }

    /// The keychain is gone: a value goes too, and the daemon that comes back must see which program this is.
    private func lose(_ failure: FailureText) throws(SystemError) {
        try hideSecret()
        // It stays lost for a while: the whole screen is drawn again once.
        if browser.lost == nil { screen.forget() }
        browser.lost = failure
        try ProcessHardening.showMemory()
        isMemoryHidden = false
    }

    /// The keychains after the first one that are locked or gone. One that does not answer is as it was before, for a
    /// while.
    ///
    /// - Parameter untilKnown: whether one that does not answer counts as locked at once.
    func lockedKeychains(untilKnown: Bool = false) -> Set<ChosenKeychain> {
        let deadline = Deadline.after(milliseconds: Self.patience)
        return Set(
            browser.keychains.dropFirst().filter { keychain in
                if let isLocked = isLocked(keychain, by: deadline) { return isLocked }
                let isGone = silence[keychain].map { $0.misses >= Self.mostMisses } ?? false
                return untilKnown || isGone || browser.locked.contains(keychain)
            })
    }

    /// Nil for a keychain that does not answer. It is asked again a few seconds later: each time nobody takes keys.
    private func isLocked(_ keychain: ChosenKeychain, by deadline: Deadline) -> Bool? {
        let now = session.now()
        if let silent = silence[keychain], now < silent.next { return nil }
        do throws(CommandFailure) {
            let isLocked = try session.asking(by: deadline) { () throws(CommandFailure) in
                try introduced(to: keychain)
            }
            silence[keychain] = nil
            return isLocked
        } catch {
            silence[keychain] = ((silence[keychain]?.misses ?? 0) + 1, now + Self.silentTime)
            return nil
        }
    }

    /// Whether a keychain is locked. A daemon that has just started must see which program this is; the memory is shown
    /// for that where it has no value.
    private func introduced(to keychain: ChosenKeychain) throws(CommandFailure) -> Bool {
        do throws(CommandFailure) { return try isLocked(keychain) } catch {
            guard isMemoryHidden, secret == nil else { throw error }
            try showMemory()
            let answer = Swift.Result { () throws(CommandFailure) in try isLocked(keychain) }
            try hideMemory()
            return try answer.get()
        }
    }

    private func isLocked(_ keychain: ChosenKeychain) throws(CommandFailure) -> Bool {
        try session.turn(to: keychain, Self.call)
        let status = try session.status(Self.call)
        return status.lockState != .unlocked && status.passcodeIsSet
    }

    /// Hides what is of a keychain that is locked now, and reads what is open.
    private func readWhatIsOpen(without locked: Set<ChosenKeychain>) throws(CommandFailure) {
        try eraseSecret()
        browser.leaveItems(of: locked)
        browser.catalog.clear()
        try readAgain()
    }

    /// Hides a value where a failure of the terminal is one of the command.
    func eraseSecret() throws(CommandFailure) {
        do throws(SystemError) { try hideSecret() } catch { throw CommandFailure("the terminal", error) }
    }
}

extension CommandFailure {
    /// Whether there was no answer in time.
    var isLate: Bool {
        if case .refused(_, let refusal) = self { refusal.rule == .deadline && !isOfUser } else { false }
    }
}

/// The memory of this process, which may have a value.
extension BrowseRun {
    private func showMemory() throws(CommandFailure) {
        do throws(SystemError) { try ProcessHardening.showMemory() } catch {
            throw CommandFailure("the memory of this process", error)
        }
    }

    /// Keeps other programs of the user's from a value in this process. The daemons have seen which program this is.
    func hideMemory() throws(CommandFailure) {
        try ProcessHardening.hideMemory(for: Self.call)
        isMemoryHidden = true
    }
}
