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
        /// Writes a certificate into a file, and whether one that is there already is replaced.
        case export(ItemMark, String, replaces: Bool)
        case copy(ItemMark)
        case copyReference(ItemMark)
        case delete(ItemMark)
        case purge(ItemMark)
        case restore(ItemMark)
        /// Gives an item what it had at a moment, in seconds since 2001.
        case revert(ItemMark, Double)
        case lock, unlock
        /// Whether what another program wrote meanwhile is replaced.
        case save(EditForm, overwrites: Bool)

        /// Whether something else may be stored afterwards.
        var isWrite: Bool {
            switch self {
            case .delete, .purge, .restore, .revert, .save, .lock, .unlock: true
            default: false
            }
        }

        /// Whether it asks for an earlier version of an item.
        var isOfVersion: Bool {
            switch self {
            case .restore, .revert, .readHistory: true
            default: false
            }
        }

        /// Whether a program of its own is asked, for longer than a glance.
        var isSlow: Bool {
            switch self {
            case .readTrust: true
            case .readItem(let mark): mark.item.hasCertificate
            default: false
            }
        }
    }

    enum Pane { case sidebar, list }

    /// The screens above the list; keys go to the last one.
    enum Layer {
        case search(TextField)
        case detail(ItemDetail)
        case form(EditForm)
        /// The name of the file that a certificate is written into.
        case export(ItemMark, TextField)
        case question(BrowseQuestion)
        case failure(FailureText)
        case help

        /// The item that it is about.
        var item: ListedItem? {
            switch self {
            case .detail(let detail): detail.item
            case .form(let form): form.item?.item
            case .question(let question): question.item.item
            case .export(let mark, _): mark.item
            case .search, .failure, .help: nil
            }
        }

        /// Whether it waits for the attributes of an item.
        func isUnread(_ item: ListedItem) -> Bool {
            guard self.item?.isSame(as: item) ?? false else { return false }
            return switch self {
            case .detail(let detail): detail.lines == nil
            case .form(let form): !form.isFilled
            default: false
            }
        }

        /// Whether it is a form that was filled in.
        var isChangedForm: Bool { if case .form(let form) = self { form.isChanged } else { false } }
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
    /// Whether an item can be in more than one.
    var hasManyKeychains: Bool { keychains.count > 1 }
    /// The one that a new item goes into where the list shows all of them.
    var usualKeychain = ChosenKeychain.login
    /// The keychains after the first one that were locked, or could not be reached, when the items were read.
    var locked: Set<ChosenKeychain> = []
    /// The keychain that the state is of.
    var statusKeychain = ChosenKeychain.login
    /// The keychain went away, and why.
    var lost: FailureText?
    /// Whether the view was locked after a time without a key, whatever the keychain is.
    var isViewLocked = false
    /// Why the password of a locked keychain did not open it.
    var refusal: FailureText?
    /// How many items were read so far, while that goes on.
    var reading: Int?
    var layers: [Layer] = []
    var pane = Pane.list
    /// The first line of the help, where it has more than the screen.
    var helpPlace = 0
    /// The last line with which a text that is longer than its place can begin.
    var lastScroll = Int.max
    /// The line of the sidebar that the cursor is in.
    var sidebarPlace = 0
    /// The columns of the sidebar.
    var sidebarWidth = 16
    /// The last thing that happened, for the last line.
    var note: Words?
    var lastDeleted: ListedItem?
    /// The forms that were filled in when the keychain was locked.
    private var keptForms: [Layer] = []
    private var lastInterrupt = -Double.infinity
    var lastPress: (mouse: InputEvent.Mouse, time: Double)?
    var isDragging = false

    init(size: ScreenSize = ScreenSize(rows: 24, columns: 80)) { self.size = size }

    /// The keychain that the first line is about: the chosen one, else the first.
    var shownKeychain: ChosenKeychain { catalog.scope.keychain ?? keychains.first ?? .login }
    /// Whether the state that is kept is that of another keychain, which was chosen before.
    var isStatusOld: Bool { statusKeychain != shownKeychain }

    /// How long Control-C has to come again to end the viewer, in seconds.
    private static let interruptTime = 1.0

    /// Takes something that the terminal has sent.
    ///
    /// - Parameters:
    ///   - target: the meaning of the place that the mouse is at.
    ///   - now: seconds since 2001.
    mutating func take(_ event: InputEvent, at target: Picture.Target.Act? = nil, now: Double) -> [Effect] {
        if case .cursor = event { return [] }
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
        case .search, .form, .export: true
        default: false
        }
    }

    /// The question that the screen has; nil for none.
    var question: BrowseQuestion? {
        guard lost == nil, !status.isLocked, size.isEnough, case .question(let question)? = layers.last else {
            return nil
        }
        return question
    }

    private mutating func dispatch(_ event: InputEvent, _ now: Double) -> [Effect] {
        if lost != nil { return takeLost(event) }
        if case .help? = layers.last { return takeHelp(event) }
        if status.isLocked { return takeLocked(event) }
        switch layers.last {
        case .search(let field): return takeSearch(field, event, now)
        case .detail(let detail): return takeDetail(detail, event)
        case .form(let form): return takeForm(form, event)
        case .export(let mark, let field): return takeExport(mark, field, event)
        case .question(let question): return takeQuestion(question, event)
        case .failure, .help: return takeFailure(event)
        case nil: return pane == .list ? takeList(event) : takeSidebar(event)
        }
    }

    private mutating func interrupt(_ now: Double) -> [Effect] {
        let isAgain = now - lastInterrupt < Self.interruptTime
        lastInterrupt = now
        if isAgain || layers.isEmpty && lost != nil { return [.quit] }
        note = "Ctrl-C again leaves."
        // A form that was filled in is given up by Escape alone.
        if !hasChangedForm { _ = layers.popLast() }
        return []
    }
}

/// The window, and what time brings.
extension Browser {
    mutating func resize(to new: ScreenSize) -> [Effect] {
        size = new
        if size.hasSidebar { sidebarWidth = width(ofSidebar: sidebarWidth) } else { pane = .list }
        return hideSecret() ? [.hide] : []
    }

    /// The width that the sidebar has where another one is wanted.
    func width(ofSidebar wanted: Int) -> Int { max(10, min(wanted, min(40, size.columns - 40))) }

    /// - Returns: whether a value was shown, or its answer waited for.
    mutating func hideSecret() -> Bool {
        guard let (place, shown) = shownDetail else { return false }
        var detail = shown
        detail.secret = .hidden
        layers[place] = .detail(detail)
        return true
    }

    /// The screen of the item whose value is shown or waited for, which something may lie on.
    private var shownDetail: (place: Int, detail: ItemDetail)? {
        for (place, layer) in layers.enumerated().reversed() {
            if case .detail(let detail) = layer, detail.secret != .hidden { return (place, detail) }
        }
        return nil
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
        guard case .shown(let until, _, _)? = shownDetail?.detail.secret else { return nil }
        return until
    }

    /// Changes the screen of an item, which something may lie on; none where that is not open any more.
    mutating func change(_ item: ListedItem, _ body: (inout ItemDetail) -> Void) {
        for (place, layer) in layers.enumerated() {
            guard case .detail(var detail) = layer, detail.item.isSame(as: item) else { continue }
            body(&detail)
            layers[place] = .detail(detail)
        }
    }

    /// Whether the value of an item is waited for.
    func isWaiting(for item: ListedItem) -> Bool {
        guard case .detail(let detail)? = layers.last else { return false }
        return detail.item.isSame(as: item) && detail.secret == .asking
    }

    /// Puts the attributes of an item into the form that waits for them.
    mutating func fillForm(_ item: ListedItem, _ values: [String: String]) {
        for (place, layer) in layers.enumerated() where layer.isUnread(item) {
            guard case .form(var form) = layer else { continue }
            form.fill(values)
            layers[place] = .form(form)
        }
    }

    /// Takes the forms away whose attributes could not be read.
    mutating func removeUnreadForms() {
        layers.removeAll { if case .form(let form) = $0 { !form.isFilled } else { false } }
    }

    /// The keychain is locked now: names go too. A form that was filled in comes back when it is open again.
    mutating func lockDown() {
        _ = hideSecret()
        keepForms()
        layers = []
        catalog.clear()
        status.isLocked = true
    }

    /// Whether a form is open that was filled in.
    var hasChangedForm: Bool { layers.contains(where: \.isChangedForm) }

    private mutating func keepForms() {
        let forms = layers.filter(\.isChangedForm)
        if !forms.isEmpty { keptForms = forms }
    }

    /// Shows the forms again that were open when the keychain was locked.
    mutating func bringBackForms() {
        layers += keptForms
        keptForms = []
    }

    /// Takes the screens of a keychain's items away, but for forms that were filled in.
    mutating func leaveItems(of locked: Set<ChosenKeychain>) {
        layers.removeAll { layer in
            !layer.isChangedForm && layer.item.map { locked.contains($0.keychain) } ?? false
        }
    }
}
