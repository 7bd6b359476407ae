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
    /// Effects of keys that were pressed while items were read.
    var waiting: [Browser.Effect] = []
    private let traits: TerminalTraits
    private let signals: SignalDescriptor
    private var width = TextWidth()
    private var frame: FrameCharacters
    /// The last picture: clicks are about what it shows.
    private var picture: Picture?
    private var drawnSecret: (row: Int, column: Int)?
    private var lastKey: Double
    private var nextLook: Double
    private var endingSignal: CInt?

    /// Seconds between looks at whether the keychain is open.
    private static let lookInterval = 1.0
    private static let watched = [SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP]

    init(_ session: Session, _ options: BrowseOptions, _ terminal: Terminal) throws(CommandFailure) {
        (self.session, self.options, traits) = (session, options, TerminalTraits(session))
        screen = TerminalScreen(
            RawTerminal(terminal), hasSecondScreen: traits.hasSecondScreen, hasMouse: options.hasMouse)
        let isWide = session.environment(CommandVariable.ambiguousWidth.rawValue) == "2"
        (width, frame) = (TextWidth(ambiguous: isWide ? 2 : 1), isWide ? .ascii : traits.frame)
        (lastKey, nextLook) = (session.now(), session.now() + Self.lookInterval)
        do throws(SystemError) { signals = try SignalDescriptor(Self.watched) } catch {
            throw CommandFailure("signals", error)
        }
    }

    /// Whether values may be shown: without a second screen they would stay on the terminal.
    var mayReveal: Bool { traits.hasSecondScreen }

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
            try draw()
            read()
            while !isDone { try step() }
        } catch { throw CommandFailure("the terminal", error) }
        if let endingSignal { CurrentProcess.die(of: endingSignal) }
    }

    private func adoptSize() {
        if let size = screen.terminal.size { browser.size = ScreenSize(rows: size.rows, columns: size.columns) }
    }

    /// A terminal whose font makes a line of the frame two columns wide gets a frame in ASCII.
    private func measure() {
        guard !frame.isASCII, let columns = screen.columns(of: String(frame.horizontal)), columns != 1 else { return }
        (width, frame) = (TextWidth(ambiguous: 2), .ascii)
    }

    // MARK: - Drawing

    /// Draws what has changed. A value is written after the grid, into the cells that are marked for it.
    func draw() throws(SystemError) {
        let picture = Painter.draw(browser, frame: frame, width: width, now: session.now(), say: session.text)
        self.picture = picture
        try screen.show(picture.grid, cursor: picture.cursor)
        guard let place = picture.secret, let secret else {
            drawnSecret = nil
            return
        }
        if let drawnSecret, drawnSecret == place { return }
        try screen.write(secret: secret.lines, place.row, place.column)
        drawnSecret = place
    }

    /// Overwrites the value and forgets it.
    func hideSecret() throws(SystemError) {
        _ = browser.hideSecret()
        secret = nil
        try draw()
    }

    // MARK: - The loop

    /// Waits for the next thing and does it.
    private func step() throws(SystemError) {
        try takeInput(waiting: 1000)
        let asked = browser.isAsking
        for effect in waiting.taken() where !isDone { try perform(effect) }
        if browser.isAsking, !asked { screen.discardInput() }
        try passTime()
        if !isDone { try draw() }
    }

    /// Takes the keys and signals that have come.
    ///
    /// - Parameter milliseconds: how long to wait for the first.
    func takeInput(waiting milliseconds: Int) throws(SystemError) {
        let deadline = min(screen.escapeDeadline, .after(milliseconds: milliseconds))
        var isLate = false
        do throws(SystemError) {
            _ = try FileDescriptor.waitForAny(of: [screen.terminal.device, signals.descriptor], deadline: deadline)
        } catch {
            guard error.code == ETIMEDOUT else { throw error }
            isLate = true
        }
        while let (signal, _) = signals.next() { try take(signal: signal) }
        guard let events = screen.events(isLate: isLate) else {
            isDone = true
            return
        }
        for event in events {
            let asked = browser.isAsking
            lastKey = session.now()
            for effect in browser.take(event, at: target(of: event), now: lastKey) {
                if effect == .hide { try hideSecret() } else { waiting.append(effect) }
            }
            // Keys that were pressed before the question was seen do not answer it.
            if browser.isAsking, !asked { return screen.discardInput() }
        }
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
            screen.forget()
        case SIGTSTP: try suspend()
        default:
            try hideSecret()
            (endingSignal, isDone) = (signal, true)
        }
    }

    /// Hides a value, locks the view and looks at the keychain when it is time.
    private func passTime() throws(SystemError) {
        let now = session.now()
        if let time = browser.hidingTime, now >= time { try hideSecret() }
        if now - lastKey > options.idleTime, !browser.status.isLocked {
            try hideSecret()
            browser.lockDown()
            browser.note = "The view was locked after a time without a key."
            screen.forget()
        }
        guard now >= nextLook else { return }
        nextLook = now + Self.lookInterval
        try look()
    }

    /// Gives the terminal back, stops, and goes on when somebody continues this process.
    func suspend() throws(SystemError) {
        try hideSecret()
        screen.leave()
        CurrentProcess.stop()
        try screen.enter()
        adoptSize()
    }

    /// Runs something that may ask the user on this terminal. The screen is left for that.
    func givingTerminal<Result>(
        _ text: Words, _ body: () throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(SystemError) { try hideSecret() } catch { throw CommandFailure("the terminal", error) }
        screen.leave()
        session.diagnostics.write("security: \(session.text(text))\n")
        session.flush()
        defer {
            // A terminal that is gone is noticed by the next read.
            try? screen.enter()
            adoptSize()
            lastKey = session.now()
        }
        return try body()
    }
}

extension Array {
    /// All elements, which are removed.
    fileprivate mutating func taken() -> Self {
        defer { removeAll() }
        return self
    }
}
