import KeychainModel
import LinuxSystem
import Testing

@testable import SecurityCommands

@Suite("history, undelete, restore-item") struct ItemHistoryTests {
    let shell = Shell()

    init() {
        for account in ["ada", "eve"] {
            _ = shell.run("add-generic-password", "-a", account, "-s", "example", "-w", "one")
        }
        _ = shell.run("add-generic-password", "-U", "-a", "ada", "-s", "example", "-w", "two")
        _ = shell.run("delete-generic-password", "-a", "eve")
    }

    private var accounts: [String?] { shell.keychain.update { $0.items.map { $0.attributes[.account]?.string } } }
    private var values: [[UInt8]?] { shell.keychain.update { $0.items.map(\.value) } }

    @Test("history shows when and how each version ended and what it was, in that order, and asks for no value")
    func list() {
        shell.keychain.update { $0.requests = [] }
        let lines = shell.run("history").text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("Z changed genp labl=\"example\" svce=\"example\" acct=\"ada\" agrp=") ?? false)
        #expect(lines.last?.contains("Z deleted genp ") ?? false)
        let requests = shell.keychain.update { $0.requests }
        #expect(requests.map(\.itemClass) == [.genericPassword, .internetPassword, .certificate, .key])
        #expect(
            requests.allSatisfy { $0.operation == .history && !$0.returns.contains(.data) && !$0.inspectsAllGroups })
        #expect(shell.run("history", "-a", "ada").text.split(separator: "\n").count == 1)
        #expect(shell.run("history", "-s", "nowhere").status == KeychainStatus.itemNotFound.rawValue)
        #expect(shell.run("history", "-c", "none").status == 2)
    }

    @Test("--json has an object for each version")
    func json() {
        let lines = shell.run("--json", "history").text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.last?.contains("\"end\":\"deleted\"") ?? false)
    }

    @Test("undelete brings back the item that was deleted last, and shows it")
    func undelete() {
        let outcome = shell.run("undelete", "-s", "example")
        #expect(outcome.status == 0 && outcome.text.contains("\"acct\"<blob>=\"eve\""))
        #expect(accounts == ["ada", "eve"])
        #expect(shell.run("undelete", "-a", "ada").status == KeychainStatus.itemNotFound.rawValue)
    }

    @Test("restore-item gives one item what it had at a time")
    func restore() {
        let ended = shell.run("history", "-a", "ada").text.prefix { $0 != " " }
        #expect(values == [Array("two".utf8)])
        let before = String(ended).replacing("Z", with: "")
        #expect(shell.run("restore-item", "--at", before, "-a", "ada").status == 2)
        #expect(shell.run("restore-item", "--at", "2000-01-01", "-a", "ada").status == 0)
        #expect(values == [Array("one".utf8)])
        #expect(
            shell.run("restore-item", "--at", "2999-01-01", "-a", "ada").status == KeychainStatus.itemNotFound.rawValue)
        #expect(shell.run("restore-item", "--at", "2000-01-01").status == 2)
        #expect(shell.run("restore-item", "-a", "ada").status == 2)
    }

    @Test("A moment is shown with the millisecond in which its microsecond lies, wherever in that it was")
    func moments() {
        let moments = (0..<10_000).map { 817_000_000 + Double($0) * 0.000_999_7 }
        let elsewhere = moments.filter { moment in
            guard let shown = Moment(CalendarDate(secondsSinceReferenceDate: moment).iso8601) else { return true }
            // The keychain keeps microseconds.
            let since = (moment * 1_000_000).rounded() - (shown.secondsSinceReferenceDate * 1_000_000).rounded()
            return !(0..<1000).contains(since)
        }
        #expect(elsewhere.isEmpty)
    }

    @Test("restore-item does not guess which of several items is meant")
    func ambiguous() {
        _ = shell.run("undelete", "-a", "eve")
        #expect(shell.run("restore-item", "--at", "2000-01-01", "-s", "example").status == 1)
        #expect(values == [Array("two".utf8), Array("one".utf8)])
    }

    @Test("What is forgotten, or deleted for ever, is not in the history; nothing is forgotten without saying of what")
    func forget() {
        #expect(shell.run("history", "--forget").status == 2)
        #expect(shell.run("history", "--forget", "-a", "eve") == .init(0))
        #expect(shell.run("history").text.split(separator: "\n").count == 1)
        #expect(shell.run("history", "-F", "-a", "eve").status == KeychainStatus.itemNotFound.rawValue)
        _ = shell.run("delete-generic-password", "--forever", "-a", "ada")
        #expect(shell.keychain.update { $0.requests }.last?.leavesNoHistory ?? false)
    }

    @Test(
        "A time is read as it is shown, and with its end left out",
        arguments: [
            ("2001-01-01T00:00:00.000Z", 0.0), ("2001-01-01T00:00:01Z", 1), ("2001-01-01T01:00Z", 3600),
            ("2001-01-02", 86400), ("2001-01-01T00:00:00.250Z", 0.25), ("2004-02-29", 99_705_600),
        ])
    func times(text: String, seconds: Double) {
        #expect(Moment(text)?.secondsSinceReferenceDate == seconds)
    }

    @Test(
        "What is no time is none",
        arguments: [
            "", "Z", "T", "2001", "2001-1-1", "2001-02-30", "2001-13-01", "2001-01-01T", "2001-01-01T00",
            "2001-01-01T00:00",
            "2001-01-01T24:00Z", "2001-01-01T00:60Z", "2001-01-01T00:00:00.1Z", "2001-01-01 00:00Z", "+001-01-01",
            "2001-01-01T00:00:00.000Zx",
        ])
    func noTimes(text: String) { #expect(Moment(text) == nil) }
}
