import Glibc
import KeychainClient
import KeychainModel
import LinuxSystem
import TerminalScreen
import TerminalText

/// The viewer on a terminal: it draws, waits for keys and for time, and has effects carried out.
final class BrowseRun {
    let session: Session
    let options: BrowseOptions
    let screen: TerminalScreen
    var browser = Browser()
    /// The value that is shown, in its rows.
    var secret: SecretLines?
    var isDone = false
    /// The keychains that tell what has changed, and the number to ask with.
    var followed: [ChosenKeychain: UInt64] = [:]
    /// As many looks at the first keychain had no answer, one after the other, and at the others.
    var misses = 0
    var silence: [ChosenKeychain: (misses: Int, next: Double)] = [:]
    /// Whether other programs of the user's are kept from this process's memory.
    var isMemoryHidden = false
    /// Effects of keys that were pressed while items were read.
    var waiting: [Browser.Effect] = []
    private let traits: TerminalTraits
    private let signals: SignalDescriptor
    /// Readable when a signal is there that is to end the viewer. Nothing is read from it.
    private let endings: SignalDescriptor
    private var width = TextWidth()
    private var frame: FrameCharacters
    /// The last picture: clicks are about what it shows.
    private var picture: Picture?
    private var drawnSecret: (row: Int, column: Int)?
    /// The question that the terminal shows. No other one is answered.
    private var shownQuestion: BrowseQuestion?
    private var lastKey: Double
    private var nextLook: Double
    /// The keychain that the first line was about at the last step.
    private var lastChosen = ChosenKeychain.login
    /// The latest moment that was seen.
    private var lastTime = -Double.infinity
    private var endingSignal: CInt?
    /// Signals that came while the terminal was given away.
    private var heldSignals: [CInt] = []

    /// Seconds between looks at whether the keychain is open.
    private static let lookInterval = 1.0
    /// Milliseconds in which nobody reads a question and answers it.
    private static let glance = 100
    /// Milliseconds in which a lone Escape becomes a key.
    private static let escapeTime = 100
    /// The milliseconds in which a daemon answers a request that no user is asked for.
    private static let answerTime = 3000
    private static let ending = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]
    private static let watched = ending + [SIGWINCH, SIGTSTP, SIGCONT]

    init(_ session: Session, _ options: BrowseOptions, _ terminal: Terminal) throws(CommandFailure) {
        (self.session, self.options, traits) = (session, options, TerminalTraits(session))
        screen = TerminalScreen(
            RawTerminal(terminal), hasSecondScreen: traits.hasSecondScreen, hasMouse: options.hasMouse)
        let isWide = session.environment(CommandVariable.ambiguousWidth.rawValue) == "2"
        (width, frame) = (TextWidth(ambiguous: isWide ? 2 : 1), isWide ? .ascii : traits.frame)
        session.namesUnopened = false
        (lastKey, nextLook) = (session.now(), session.now() + Self.lookInterval)
        do throws(SystemError) {
            (signals, endings) = (try SignalDescriptor(Self.watched), try SignalDescriptor(Self.ending))
        } catch {
            throw CommandFailure("signals", error)
        }
    }

    /// Whether values may be shown: without a second screen they would stay on the terminal.
    var mayReveal: Bool { traits.hasSecondScreen }

    /// The place of a value in the screen of an item.
    var secretRoom: SecretLines.Room { Painter.secretRoom(browser, isASCII: traits.frame.isASCII) }

    /// Runs until the user leaves.
    ///
    /// - Throws: a failure of the terminal.
    func run() throws(CommandFailure) {
        CurrentProcess.ignoreBrokenPipes()
        do throws(SystemError) {
            try screen.enter()
            defer { screen.leave() }
            adoptSize()
            measure()
            browser.reading = 0
            try draw()
            read()
            try draw()
            while !isDone { try step() }
        } catch { throw CommandFailure("the terminal", error) }
        if let endingSignal { CurrentProcess.die(of: endingSignal) }
    }

    private func adoptSize() {
        guard let size = screen.terminal.size else { return }
        _ = browser.resize(to: ScreenSize(rows: size.rows, columns: size.columns))
    }

    /// A terminal whose font makes a line of the frame two columns wide gets a frame in ASCII.
    private func measure() {
        guard !frame.isASCII, let columns = screen.columns(of: String(frame.horizontal)), columns != 1 else { return }
        (width, frame) = (TextWidth(ambiguous: 2), .ascii)
    }

    // MARK: - Drawing

    /// Draws what has changed. A terminal that takes no output now has everything drawn later.
    func draw() throws(SystemError) {
        do throws(SystemError) { try drawNow() } catch {
            guard error.code == ETIMEDOUT else { throw error }
            forgetSecret()
            forgetScreen()
        }
    }

    private func paint() -> Picture {
        Painter.draw(browser, frame: frame, width: width, now: session.now(), say: session.text)
    }

    /// A value is written after the grid, into the cells that are marked for it, and goes where one of them is missing.
    private func drawNow() throws(SystemError) {
        var picture = paint()
        if let secret, !picture.hasRoom(forSecret: secret.columns) {
            forgetSecret()
            picture = paint()
        }
        (self.picture, browser.lastScroll) = (picture, picture.lastScroll)
        try show(picture)
        guard let place = picture.secret, let secret else {
            drawnSecret = nil
            return
        }
        if let drawnSecret, drawnSecret == place { return }
        try screen.write(secret: secret.lines, place.row, place.column)
        drawnSecret = place
    }

    /// Shows a picture. Keys that were pressed before a question was seen do not answer it; those that come while the
    /// terminal is slow to show it are among them.
    private func show(_ picture: Picture) throws(SystemError) {
        let isNew = browser.question != nil && browser.question != shownQuestion
        if isNew { screen.discardInput() }
        let seen = Deadline.after(milliseconds: Self.glance)
        try screen.show(picture.grid, cursor: picture.cursor)
        if isNew, seen.hasPassed { screen.discardInput() }
        shownQuestion = browser.question
    }

    /// Overwrites the value and forgets it. One that is waited for is not shown.
    func hideSecret() throws(SystemError) {
        forgetSecret()
        try draw()
    }

    private func forgetSecret() {
        _ = browser.hideSecret()
        (secret, drawnSecret) = (nil, nil)
    }

    /// Has everything drawn again: nobody knows what the terminal shows.
    func forgetScreen() {
        screen.forget()
        shownQuestion = nil
    }

    // MARK: - The loop

    /// Waits for the next thing and does it.
    private func step() throws(SystemError) {
        try takeInput(waiting: waiting.isEmpty ? 1000 : 0)
        for effect in waiting.taken() where !isDone {
            // It takes its time, and says so meanwhile.
            if effect.isSlow { try draw() }
            try perform(effect)
            if browser.question != shownQuestion { try draw() }
        }
        try passTime()
        if !isDone { try draw() }
    }

    /// Takes the keys and signals that have come.
    ///
    /// - Parameter milliseconds: how long to wait for the first.
    func takeInput(waiting milliseconds: Int) throws(SystemError) {
        let escape = screen.escapeDeadline
        let deadline = min(escape, .after(milliseconds: milliseconds))
        var isLate = false
        do throws(SystemError) {
            _ = try FileDescriptor.waitForAny(of: [screen.terminal.device, signals.descriptor], deadline: deadline)
        } catch {
            guard error.code == ETIMEDOUT else { throw error }
            isLate = escape <= deadline
        }
        for signal in heldSignals.taken() { try take(signal: signal) }
        while let (signal, _) = signals.next() { try take(signal: signal) }
        guard let events = screen.events(isLate: isLate) else {
            isDone = true
            return
        }
        if screen.hasUnclearInput { try hideSecret() }
        if !events.isEmpty, browser.question != shownQuestion { return try draw() }
        for event in events {
            lastKey = session.now()
            for effect in browser.take(event, at: target(of: event), now: lastKey) {
                if effect == .hide { try hideSecret() } else { waiting.append(effect) }
                // A password that was typed ahead goes nowhere.
                if case .save = effect { return screen.discardInput() }
            }
            if browser.question == nil { shownQuestion = nil }
            // The rest was pressed before the question was seen.
            if browser.question != shownQuestion { return try draw() }
        }
    }

    /// Takes everything that has come by now, a lone Escape too.
    func takeAllInput() throws(SystemError) {
        try takeInput(waiting: 0)
        if screen.awaitsEscape { try takeInput(waiting: Self.escapeTime) }
    }

    private func target(of event: InputEvent) -> Picture.Target.Act? {
        if case .mouse(let mouse) = event { picture?.target(mouse.row, mouse.column) } else { nil }
    }

    private func take(signal: CInt) throws(SystemError) {
        switch signal {
        case SIGWINCH:
            _ = browser.resize(to: browser.size)
            try hideSecret()
            adoptSize()
            forgetScreen()
        case SIGTSTP: try suspend()
        case SIGCONT: try goOn()
        default:
            try hideSecret()
            (endingSignal, isDone) = (signal, true)
        }
    }

    /// Hides a value, locks the view and looks at the keychain when it is time.
    private func passTime() throws(SystemError) {
        let now = session.now()
        if now < lastTime { try adopt(earlier: now) }
        lastTime = now
        if let time = browser.hidingTime, now >= time { try hideSecret() }
        if now - lastKey > options.idleTime, !browser.status.isLocked {
            try hideSecret()
            browser.lockDown()
            browser.isViewLocked = true
            browser.note = "The view was locked after a time without a key."
            screen.forget()
        }
        let isNew = browser.isStatusOld && browser.shownKeychain != lastChosen
        lastChosen = browser.shownKeychain
        // The old state goes from the screen before the new one is asked for.
        if isNew { try draw() }
        guard isNew || now >= nextLook else { return }
        nextLook = now + Self.lookInterval
        try look()
    }

    /// The clock was set back: nothing waits for it to come to where it was.
    private func adopt(earlier now: Double) throws(SystemError) {
        try hideSecret()
        (lastKey, nextLook) = (now, now)
    }

    /// Gives the terminal back, stops, and goes on when somebody continues this process.
    func suspend() throws(SystemError) {
        try hideSecret()
        screen.leave()
        CurrentProcess.suspend()
        try screen.enter()
        adoptSize()
        forgetScreen()
    }

    /// Goes on after a stop. When it was by others, this process's parent has given the terminal back.
    private func goOn() throws(SystemError) {
        forgetSecret()
        if !screen.terminal.isRaw { try screen.enter() }
        adoptSize()
        forgetScreen()
    }

    /// A Control-C at another program's prompt was meant for that.
    private func holdSignals() {
        while let (signal, isOfKernel) = signals.next() {
            if signal != SIGINT || !isOfKernel { heldSignals.append(signal) }
        }
    }

    /// Runs something that may ask the user on this terminal. The screen is left for that. A signal that is to end the
    /// viewer ends the prompt.
    func givingTerminal<Result>(
        _ text: Words, _ body: () throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(SystemError) { try hideSecret() } catch { throw CommandFailure("the terminal", error) }
        screen.leave()
        session.diagnostics.write("security: \(session.text(text))\n")
        session.flush()
        defer {
            holdSignals()
            // Nothing is drawn on a terminal that could not be taken.
            do throws(SystemError) { try screen.enter() } catch { isDone = true }
            adoptSize()
            lastKey = session.now()
        }
        session.interruption = endings.descriptor
        defer { session.interruption = nil }
        return try session.asking(within: nil, body)
    }

    /// Runs requests that no user is asked for: nobody takes keys meanwhile.
    func answered<Result>(_ body: () throws(CommandFailure) -> Result) throws(CommandFailure) -> Result {
        try session.asking(within: Self.answerTime, body)
    }
}

extension Array {
    /// All elements, which are removed.
    fileprivate mutating func taken() -> Self {
        defer { removeAll() }
        return self
    }
}
