import KeychainClient
import KeychainWire
import TerminalScreen

/// The state of the viewer and the meaning of its keys. It is a value: it knows neither a terminal nor a keychain.
/// Whatever is to be done with them comes out as effects, and the results come back in.
struct Browser {
    /// Something that is done outside.
    enum Effect: Equatable {
        case quit, suspend, redraw, reload
        /// Draws what is shown now, without the secret, before anything else happens.
        case hide
        case readItem(ItemMark)
        case readHistory(ItemMark)
        case readUses(ItemMark)
        case readTrust(ItemMark)
        case readDeleted
        case reveal(ItemMark)
        /// Shows the value that is shown by the names of its characters.
        case spell
        /// Writes a certificate into a file.
        case export(ItemMark)
        case copy(ItemMark)
        case copyReference(ItemMark)
        case delete(ItemMark)
        case purge(ItemMark)
        case restore(ItemMark)
        case lock, unlock
        /// Whether what another program wrote meanwhile is replaced.
        case save(EditForm, overwrites: Bool)
    }

    enum Pane { case sidebar, list }

    /// The screens above the list; keys go to the last one.
    enum Layer {
        case search(TextField)
        case detail(ItemDetail)
        case form(EditForm)
        case question(BrowseQuestion)
        case failure(FailureText)
        case help
    }

    /// The state of the keychain, as the first line shows it.
    struct Status: Equatable {
        var isLocked = false
        var hasPassword = true
        var protection = ""
        /// Seconds until the next password is looked at.
        var wait: UInt32 = 0
    }

    /// Rows and columns of the terminal.
    var size: ScreenSize
    var catalog = ItemCatalog()
    var status = Status()
    var keychains: [ChosenKeychain] = [.login]
    /// The keychain went away, and why.
    var lost: FailureText?
    /// How many items were read so far, while that goes on.
    var reading: Int?
    var layers: [Layer] = []
    var pane = Pane.list
    /// The first line of the help, where it has more than the screen.
    var helpPlace = 0
    /// The line of the sidebar that the cursor is in.
    var sidebarPlace = 0
    /// The columns of the sidebar.
    var sidebarWidth = 16
    /// The last thing that happened, for the last line.
    var note: Words?
    var lastDeleted: ListedItem?
    private var lastInterrupt = -Double.infinity
    var lastPress: (mouse: InputEvent.Mouse, time: Double)?
    var isDragging = false

    init(size: ScreenSize = ScreenSize(rows: 24, columns: 80)) { self.size = size }

    /// How long Control-C has to come again to end the viewer, in seconds.
    private static let interruptTime = 1.0

    /// Takes something that the terminal has sent.
    ///
    /// - Parameters:
    ///   - target: the meaning of the place that the mouse is at.
    ///   - now: seconds since 2001.
    mutating func take(_ event: InputEvent, at target: Picture.Target.Act? = nil, now: Double) -> [Effect] {
        if event == .key(.character(" ")), canSpell { return [.spell] }
        if hideSecret() {
            // The key that shows a value also hides it.
            if case .key(let key) = event, [.escape, .character("r")].contains(key) { return [.hide] }
            return [.hide] + act(on: event, target, now)
        }
        return act(on: event, target, now)
    }

    private mutating func act(
        on event: InputEvent, _ target: Picture.Target.Act?, _ now: Double
    ) -> [Effect] {
        switch event {
        case .focus, .cursor: return []
        case .mouse(let mouse): return take(mouse: mouse, target, now)
        case .key(.control("c")): return interrupt(now)
        case .key(.control("l")): return [.redraw]
        case .key(.control("z")): return [.suspend]
        case .paste where !takesText: note = "A paste goes into a field only."
        case .pasteTooLong: note = "The paste is too long; nothing of it is kept."
        default:
            note = nil
            return dispatch(event, now)
        }
        return []
    }

    /// Whether text is being typed.
    private var takesText: Bool {
        switch layers.last {
        case .search, .form: true
        default: false
        }
    }

    /// Whether a question is open.
    var isAsking: Bool { if case .question? = layers.last { true } else { false } }

    private mutating func dispatch(_ event: InputEvent, _ now: Double) -> [Effect] {
        if lost != nil { return takeLost(event) }
        if case .help? = layers.last { return takeHelp(event) }
        if status.isLocked { return takeLocked(event) }
        switch layers.last {
        case .search(let field): return takeSearch(field, event, now)
        case .detail(let detail): return takeDetail(detail, event)
        case .form(let form): return takeForm(form, event)
        case .question(let question): return takeQuestion(question, event)
        case .failure, .help: return takeFailure(event)
        case nil: return pane == .list ? takeList(event) : takeSidebar(event)
        }
    }

    private mutating func interrupt(_ now: Double) -> [Effect] {
        let isAgain = now - lastInterrupt < Self.interruptTime
        lastInterrupt = now
        if isAgain || layers.isEmpty && lost != nil { return [.quit] }
        _ = layers.popLast()
        note = "Ctrl-C again leaves."
        return []
    }
}

/// The window, and what time brings.
extension Browser {
    mutating func resize(to new: ScreenSize) -> [Effect] {
        size = new
        return hideSecret() ? [.hide] : []
    }

    /// - Returns: whether a value was shown.
    mutating func hideSecret() -> Bool {
        guard case .detail(var detail)? = layers.last, case .shown = detail.secret else { return false }
        detail.secret = .hidden
        layers[layers.count - 1] = .detail(detail)
        return true
    }

    /// Whether a value is shown, and not by the names of its characters yet.
    private var canSpell: Bool {
        guard case .detail(let detail)? = layers.last, case .shown(_, _, let isSpelled) = detail.secret else {
            return false
        }
        return !isSpelled
    }

    /// When the value that is shown hides; nil for none.
    var hidingTime: Double? {
        guard case .detail(let detail)? = layers.last, case .shown(let until, _, _) = detail.secret else { return nil }
        return until
    }

    /// The keychain is locked now: names go too.
    mutating func lockDown() {
        _ = hideSecret()
        layers = []
        catalog.clear()
        status.isLocked = true
    }
}
