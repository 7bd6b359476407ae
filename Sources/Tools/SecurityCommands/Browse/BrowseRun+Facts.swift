import CertificateWire
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// Facts about an item beyond its attributes.
extension BrowseRun {
    private static let call = "browse"
    private static let mostUses = 12

    /// Reads which programs have asked for items of its group and kind lately. The daemon does not note single items.
    func readUses(of item: ListedItem) throws(CommandFailure) {
        let found = try decisions(about: item)
        let lines = found.suffix(Self.mostUses).reversed().map { line(of: $0) }
        browser.change(item) { [session] in
            $0.uses = lines.isEmpty ? [session.text("None since the keychain's service started.")] : lines
        }
    }

    /// The decisions about items of its group and kind that the daemon still has.
    private func decisions(about item: ListedItem) throws(CommandFailure) -> [DecisionEntry] {
        try session.turn(to: item.keychain, Self.call)
        var (next, found) = (UInt64(0), [DecisionEntry]())
        while true {
            guard case .decisions(let page) = try session.access(.decisions(after: next), Self.call) else { break }
            found += page.entries.filter { $0.itemClass == item.itemClass && $0.groups.contains(item.group) }
            guard page.next != next else { break }
            next = page.next
        }
        return found
    }

    /// Reads the changes of an item, the last one first, and which programs made them.
    func readHistory(of item: ListedItem) throws(CommandFailure) {
        let versions = try ItemHistory.versions(of: item, session)
        var history: [HistoryEntry] = []
        if !versions.isEmpty {
            let current =
                item.kind == .deleted ? nil : try ItemAccess(session, Self.call).attributes(of: item, withValue: false)
            let later = versions.dropFirst().map(\.item.attributes) + [current?.attributes].compactMap(\.self)
            let writes = try decisions(about: item).filter { $0.status == 0 && Self.writes.contains($0.operation) }
            history = versions.enumerated().map { place, version in
                let isLast = !later.indices.contains(place) || version.end == .deleted
                return HistoryEntry(
                    version, next: isLast ? nil : later[place], program: Self.program(of: version, among: writes))
            }
        }
        browser.change(item) { ($0.history, $0.version) = (history.reversed(), 0) }
    }

    /// The names that the daemon has for the requests that end a version.
    private static let writes: Set<String> = ["SecItemAdd", "SecItemUpdate", "SecItemDelete", "restore"]
    /// A request is noted within so many seconds after its change.
    private static let notingTime = 1.0

    /// The program whose request ended a version. Where several programs wrote at that time, it is not guessed.
    private static func program(of version: ItemVersion, among writes: [DecisionEntry]) -> String? {
        let programs = writes.filter { (0..<notingTime).contains($0.time - version.ended) }.map(\.program)
        return Set(programs).count == 1 ? programs[0] : nil
    }

    private func line(of entry: DecisionEntry) -> String {
        let isNothing = entry.status == KeychainStatus.itemNotFound.rawValue
        let outcome = session.text(entry.status == 0 ? "allowed" : isNothing ? "nothing found" : "refused")
        let time = session.text(ItemDate(seconds: entry.time).long(now: session.now()))
        return "\(time)  \(outcome)  \(DisplayName.shown(entry.program))  \(DisplayName.shown(entry.operation))"
    }

    /// Evaluates a certificate with the system's anchors, the user's settings and the keychain's certificates.
    func readTrust(of item: ListedItem) throws(CommandFailure) {
        if case .detail(let detail)? = browser.layers.last, detail.item.isSame(as: item), detail.trust != nil { return }
        let found = try certificate(of: item)
        let stored = StoredCertificates(session: session, call: Self.call, keychains: [])
        var (chain, purposes) = ([String](), [String]())
        for policy in [CertificatePolicy.basic, .tlsServer, .codeSigning, .mail] {
            let evaluation = StoredTrustEvaluation(stored: stored, policy: policy)
            guard let result = try evaluation.evaluate([found]).first else { continue }
            if policy == .basic { chain = result.chain }
            let title = session.text(TrustPolicies.row(policy).title)
            purposes.append("\(title): \(session.text(result.outcome.reason))")
        }
        let lines =
            [session.text("CHAIN")] + Self.tree(chain) + ["", session.text("TRUST FOR EACH PURPOSE")] + purposes
        browser.change(item) { $0.trust = lines }
    }

    /// The root first, and each certificate below its issuer.
    private static func tree(_ chain: [String]) -> [String] {
        chain.reversed().enumerated().map { place, name in
            String(repeating: "  ", count: place) + (place > 0 ? "└ " : "") + DisplayName.shown(name)
        }
    }

    /// Writes a certificate into a file. Whether one that is there already is replaced, is asked.
    func export(_ item: ListedItem, to path: String, replacing: Bool) throws(CommandFailure) {
        let certificate = try certificate(of: item)
        let file = CertificateExport(path, home: session.environment("HOME"))
        guard try file.export(certificate, replacing: replacing) else {
            return browser.layers.append(.question(BrowseQuestion(act: .replace(path), item: ItemMark(item))))
        }
        browser.layers.removeAll { if case .export = $0 { true } else { false } }
        browser.note = "Written: \(DisplayName.shown(file.path))"
    }

    private func certificate(of item: ListedItem) throws(CommandFailure) -> [UInt8] {
        try browser.catalog.own.require(item, Self.call)
        return try ItemAccess(session, Self.call).certificate(of: item)
    }

    /// Shows the value that is shown by the names of its characters, in its remaining time.
    func spell() throws(CommandFailure) {
        guard let shown = secret?.value, let until = browser.hidingTime, case .detail(let detail)? = browser.layers.last
        else { return }
        try eraseSecret()
        guard let spelled = SecretLines(spelling: shown, room: secretRoom) else {
            browser.note = "The value is too long to be spelled here."
            return
        }
        browser.change(detail.item) {
            $0.secret = .shown(until: until, columns: spelled.columns, isSpelled: true)
        }
        secret = spelled
    }
}
