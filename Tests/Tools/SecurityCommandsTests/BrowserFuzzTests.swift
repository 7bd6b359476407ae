import KeychainClient
import TerminalScreen
import TestSupport
import Testing

@testable import SecurityCommands

/// Random events, in any order and at any place of the screen.
@Suite("The viewer under random input") struct BrowserFuzzTests {
    private static let steps = full(3_000, gate: 500)

    @Test("No events lead to an effect that writes or shows a value without its own keys", arguments: 0..<24)
    func confirmed(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var browser = try BrowserTests.browser(Self.sizes.randomElement(using: &random) ?? .least)
        var now = BrowserTests.now
        for step in 0..<Self.steps {
            let before = browser.layers.last
            let (event, target) = Self.next(browser, now, &random)
            now += Double.random(in: 0...2, using: &random)
            for effect in browser.take(event, at: target, now: now) {
                #expect(
                    Self.isConfirmed(effect, by: event, on: before, browser), "seed \(seed), step \(step): \(effect)")
                try Self.answer(effect, &browser, now, &random)
            }
        }
    }

    private static let sizes = [(24, 80), (10, 40), (40, 120), (9, 39)].map { ScreenSize(rows: $0.0, columns: $0.1) }

    /// Whether the last event is the key that an effect takes, on the screen that asks for it.
    private static func isConfirmed(
        _ effect: Browser.Effect, by event: InputEvent, on layer: Browser.Layer?, _ browser: Browser
    ) -> Bool {
        let question: BrowseQuestion? = if case .question(let question)? = layer { question } else { nil }
        let isForm = if case .form? = layer { true } else { false }
        switch effect {
        case .delete(let item):
            return question?.act == .delete && question?.item == item && event == .key(.character("y"))
        case .purge(let item):
            return question?.act == .purge && question?.item == item && event == .key(.character("y"))
        case .save(let form, overwrites: true):
            return question?.act == .overwrite(form) && event == .key(.character("m"))
        case .export(_, _, replaces: false):
            let isNaming = if case .export? = layer { true } else { false }
            return isNaming && event == .key(.enter)
        case .export(let item, let path, replaces: true):
            return question?.act == .replace(path) && question?.item == item && event == .key(.character("w"))
        case .revert(let item, let moment):
            guard case .revert(let change)? = question?.act, question?.item == item else { return false }
            return change.moment == moment && event == .key(.character("y"))
        case .save: return isForm && event == .key(.control("s"))
        // Restoring is undone by deleting, so that one key is enough.
        case .restore: return event == .key(.character("u"))
        case .reveal: return event == .key(.character("r"))
        default: return true
        }
    }

    /// Does for an effect what the keychain would do.
    private static func answer(
        _ effect: Browser.Effect, _ browser: inout Browser, _ now: Double, _ random: inout SplitMix64
    ) throws {
        switch effect {
        case .readItem(let mark): browser.fillForm(mark.item, ["svce": mark.item.name, "acct": mark.item.account])
        case .reveal(let mark):
            guard browser.isWaiting(for: mark.item) else { return }
            browser.change(mark.item) {
                $0.secret = .shown(until: now + ItemDetail.shownTime, columns: [10])
            }
        case .save(let form, overwrites: false) where Bool.random(using: &random):
            guard let item = form.item else { return }
            browser.layers.append(.question(BrowseQuestion(act: .overwrite(form), item: item)))
        case .readHistory(let mark): browser.change(mark.item) { $0.history = [BrowserHistoryTests.change] }
        case .export(let mark, let path, replaces: false) where Bool.random(using: &random):
            browser.layers.append(.question(BrowseQuestion(act: .replace(path), item: mark)))
        case .delete(let mark):
            browser.layers = []
            browser.lastDeleted = mark.item
        case .lock: browser.lockDown()
        case .unlock, .reload:
            (browser.status.isLocked, browser.lost) = (false, nil)
            browser.catalog.replace(items: ItemTable(try BrowserTests.items()))
        default: break
        }
    }

    /// The next event, and the place that it is about as the last drawing has it.
    private static func next(
        _ browser: Browser, _ now: Double, _ random: inout SplitMix64
    ) -> (InputEvent, Picture.Target.Act?) {
        guard Int.random(in: 0..<8, using: &random) == 0 else {
            return (keys.randomElement(using: &random) ?? .focus(true), nil)
        }
        let row = Int.random(in: 0..<browser.size.rows, using: &random)
        let column = Int.random(in: 0..<browser.size.columns, using: &random)
        let action = actions.randomElement(using: &random) ?? .press
        let target = Painter.draw(browser, now: now).target(row, column)
        return (.mouse(.init(action, row: row, column: column)), target)
    }

    private static let actions: [InputEvent.Mouse.Action] = [.press, .press, .press, .release, .drag, .wheelDown]
    private static let characters = Array("abcdefghijklmnopqrstuvwxyzADLRSXYM/? 1234567部")
    private static let controls: [Character] = ["a", "c", "e", "l", "s", "x", "z"]
    private static let others: [InputEvent.Key] = [
        .enter, .escape, .tab, .backTab, .up, .down, .left, .right, .home, .end, .backspace,
    ]
    private static let reports: [InputEvent] = [
        .paste("dy"), .paste("y"), .pasteTooLong, .focus(false), .focus(true), .cursor(row: 1, column: 1),
    ]
    private static let keys: [InputEvent] =
        characters.map { .key(.character($0)) } + controls.map { .key(.control($0)) } + others.map { .key($0) }
        + reports
}
