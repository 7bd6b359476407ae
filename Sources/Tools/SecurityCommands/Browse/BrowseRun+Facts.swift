import CertificateWire
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// Facts about an item beyond its attributes.
extension BrowseRun {
    private static let call = "browse"
    private static let mostUses = 12

    private func change(_ item: ListedItem, _ body: (inout ItemDetail) -> Void) {
        guard case .detail(var detail)? = browser.layers.last, detail.item.isSame(as: item) else { return }
        body(&detail)
        browser.layers[browser.layers.count - 1] = .detail(detail)
    }

    /// Reads which programs have asked for items of its group and kind lately. The daemon does not note single items.
    func readUses(of item: ListedItem) throws(CommandFailure) {
        try session.turn(to: item.keychain, Self.call)
        var (next, found) = (UInt64(0), [DecisionEntry]())
        while true {
            guard case .decisions(let page) = try session.access(.decisions(after: next), Self.call) else { break }
            found += page.entries.filter { $0.itemClass == item.itemClass && $0.groups.contains(item.group) }
            guard page.next != next else { break }
            next = page.next
        }
        let lines = found.suffix(Self.mostUses).reversed().map { line(of: $0) }
        change(item) { $0.uses = lines.isEmpty ? [session.text("None since the keychain's service started.")] : lines }
    }

    private func line(of entry: DecisionEntry) -> String {
        let outcome = entry.status == 0 ? session.text("allowed") : session.text("refused")
        let time = session.text(ItemDate(seconds: entry.time).long(now: session.now()))
        return "\(time)  \(outcome)  \(DisplayName.shown(entry.program))  \(DisplayName.shown(entry.operation))"
    }

    /// Evaluates a certificate with the system's anchors, the user's settings and the keychain's certificates.
    func readTrust(of item: ListedItem) throws(CommandFailure) {
        let found = try certificate(of: item)
        let stored = StoredCertificates(session: session, call: Self.call, keychains: [])
        var (chain, purposes) = ([String](), [String]())
        for policy in [CertificatePolicy.basic, .tlsServer, .codeSigning, .mail] {
            let evaluation = StoredTrustEvaluation(stored: stored, policy: policy)
            guard let result = try evaluation.evaluate([found]).first else { continue }
            if policy == .basic { chain = result.chain }
            purposes.append("\(TrustPolicies.row(policy).title): \(session.text(result.outcome.reason))")
        }
        let hash = try stored.facts([found]).first.map { ["SHA-256 \(Self.groups($0.sha256.upperHex))"] } ?? []
        change(item) { $0.trust = Self.tree(chain) + [""] + purposes + [""] + hash }
    }

    /// The root first, and each certificate below its issuer.
    private static func tree(_ chain: [String]) -> [String] {
        chain.reversed().enumerated().map { place, name in
            String(repeating: "  ", count: place) + (place > 0 ? "└ " : "") + DisplayName.shown(name)
        }
    }

    /// Digits in groups of four, so that a long number has places to break.
    private static func groups(_ digits: String) -> String {
        digits.enumerated().map { place, digit in place > 0 && place % 4 == 0 ? " \(digit)" : "\(digit)" }.joined()
    }

    func export(_ item: ListedItem) throws(CommandFailure) {
        try CertificateExport.write(try certificate(of: item), of: item)
        browser.note = "Written: \(CertificateExport.fileName(of: item))"
    }

    private func certificate(of item: ListedItem) throws(CommandFailure) -> [UInt8] {
        // The values of other kinds are secret.
        guard item.kind == .certificate else { throw .refused(call: Self.call, .nothingFound) }
        try browser.catalog.own.require(item, Self.call)
        let found = try ItemAccess(session, Self.call).attributes(of: item, withValue: true)
        guard let data = found.attributes.secret(.valueData) else {
            throw .refused(call: Self.call, .nothingFound)
        }
        return data.withSpan { $0.array(0, $0.count) }
    }

    /// Shows the value that is shown by the names of its characters, in its remaining time.
    func spell() throws(CommandFailure) {
        guard let shown = secret?.value, let until = browser.hidingTime else { return }
        do throws(SystemError) { try hideSecret() } catch { throw CommandFailure("the terminal", error) }
        guard let spelled = SecretLines(spelling: shown, room: Painter.secretRoom(browser.size)) else {
            browser.note = "The value is too long to be spelled here."
            return
        }
        guard case .detail(var detail)? = browser.layers.last else { return }
        detail.secret = .shown(until: until, columns: spelled.columns, isSpelled: true)
        secret = spelled
        browser.layers[browser.layers.count - 1] = .detail(detail)
    }
}
