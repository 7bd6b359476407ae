import KeychainModel
import KeychainWire
import LinuxSystem

/// An explanation, as a person reads it and as a program does.
struct WhyReport {
    private let explanation: Explanation
    /// The question, to say what differs.
    private let asked: AttributeList

    init(_ explanation: Explanation, asked: AttributeList) { (self.explanation, self.asked) = (explanation, asked) }

    // MARK: - For people

    var text: String {
        var lines = [
            "program: \(explanation.program.printable)",
            "groups:  \(explanation.groups.isEmpty ? "none" : explanation.groups.joined(separator: ", ").printable)",
            "search:  \(outcome)",
        ]
        for candidate in explanation.candidates { lines += self.lines(of: candidate) }
        lines.append(counts)
        let steps = nextSteps
        if !steps.isEmpty { lines += ["", "What to do:"] + steps.map { "  \($0)" } }
        return lines.joined(separator: "\n") + "\n"
    }

    private var outcome: String {
        guard let refusal = explanation.refusal else { return "finds something" }
        if refusal.status == .authNeeded { return "asks the user first" }
        let name = StatusNames.name(of: refusal.status.rawValue) ?? "\(refusal.status.rawValue)"
        return "\(name), \(refusal.rule.rawValue): \(refusal.problem)".printable
    }

    private var counts: String {
        let looked = "items looked at: \(explanation.looked)"
        return explanation.omitted == 0 ? looked : "\(looked); \(explanation.omitted) that differ more are left out"
    }

    private func lines(of candidate: Explanation.Candidate) -> [String] {
        let mark =
            switch candidate.verdict {
            case .found: "found"
            case .excluded: "not  "
            case .afterAuthentication: "asks "
            }
        let reasons = candidate.exclusions.map { "         \(sentence($0, candidate))" }
        let sync = Self.syncSentences[candidate.sync].map { ["         \($0)"] } ?? []
        return ["  \(mark)  \(candidate.itemClass.code) \(title(candidate))"] + reasons + sync
    }

    private func title(_ candidate: Explanation.Candidate) -> String {
        guard candidate.isShown else { return "(its attributes are closed)" }
        let shown: [AttributeID] = [.label, .service, .server, .account, .applicationTag, .accessGroup]
        let parts = shown.compactMap { id in
            AttributeTable.attribute(id: id).flatMap { attribute in
                candidate.attributes[id].map { "\(attribute.code)=\(Self.shown($0))" }
            }
        }
        return parts.joined(separator: " ")
    }

    private func sentence(_ exclusion: Explanation.Exclusion, _ candidate: Explanation.Candidate) -> String {
        let has = candidate.isShown ? value(exclusion.subject, in: candidate.attributes) : nil
        switch exclusion.rule {
        case .attributeDiffers:
            let other = has.map { ", it has \($0)" } ?? ""
            return "\(exclusion.subject) differs: asked for \(value(exclusion.subject, in: asked) ?? "none")\(other)"
        case .foreignGroup: return "its access group is not one that was searched" + (has.map { ": \($0)" } ?? "")
        default: return Self.sentences[exclusion.rule] ?? "\(exclusion.rule.rawValue) \(exclusion.subject)".printable
        }
    }

    private func value(_ code: String, in list: AttributeList) -> String? {
        AttributeTable.attribute(code: code).flatMap { list[$0.id] }.map(Self.shown)
    }

    private static func shown(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): text.quoted
        case .number(let number): "\(number)"
        case .date(let seconds): CalendarDate(secondsSinceReferenceDate: seconds).iso8601
        case .data(let bytes):
            String(validating: bytes, as: UTF8.self).map { $0.quoted } ?? "\(bytes.count) bytes"
        }
    }

    private static let sentences: [Refusal.Rule: String] = [
        .otherClass: "it is of another class than the search",
        .otherSynchronizable: "the search does not look at items that are synchronised as it is",
        .otherReference: "the persistent reference is another item's",
        .beyondLimit: "others were found before it, and no more were asked for",
        .matchKey: "it does not meet a match key",
        .withoutKey: "its private key is not within the search's reach",
        .locked: "its protection class is closed while the device is locked",
        .damaged: "its row does not open",
        .needsUser: "it opens after its user has authenticated",
        .notAnchored: "it opens for anchored programs alone",
    ]

    private static let syncSentences: [ItemSync: String] = [
        .travels: "it goes to the other machines of the circle",
        .waits: "it goes to the other machines of the circle; its last change waits to be sent (security sync status)",
        .hasNoCircle: "it is marked for other machines, and this keychain has none (security sync setup)",
        .isNotMarked: "it stays on this machine: it is not marked for others (kSecAttrSynchronizable, add -S)",
        .isOfThisDevice: "it stays on this machine: its protection class is one of this device alone",
        .isSealed: "it stays on this machine: its key is sealed by the enclave",
        .isGuarded: "it stays on this machine: it has an access control that asks",
        .isOfThisMachine: "it stays on this machine: its group or its user is this machine's",
        .hasNoProgram: "it goes to the other machines of the circle; no program here was seen with its access group",
    ]

    // MARK: - What to do

    /// One step for each rule that spoke first somewhere, the request's own before the items'.
    private var nextSteps: [String] {
        if let refusal = explanation.refusal, explanation.candidates.isEmpty { return [refusal.remedy] }
        guard !explanation.candidates.contains(where: { $0.verdict == .found }) else { return [] }
        var steps: [String] = []
        for rule in explanation.candidates.compactMap({ $0.exclusions.first?.rule }) {
            if let step = Self.steps[rule], !steps.contains(step) { steps.append(step) }
        }
        return steps
    }

    private static let steps: [Refusal.Rule: String] = [
        .otherClass: "Search the other class: --class, or kSecClass in the program.",
        .attributeDiffers:
            "Compare the attributes above with what the program asks for; leave out what need not match.",
        .foreignGroup: "Give the program the group (security codesign), or move the item (security move-items).",
        .otherSynchronizable: "Add kSecAttrSynchronizable with kSecAttrSynchronizableAny to the program's query.",
        .locked: "Unlock the keychain: security unlock-keychain.",
        .damaged: "See security verify-keychain.",
        .needsUser: "Let the program ask, or give it an LAContext that was evaluated (kSecUseAuthenticationContext).",
        .notAnchored: "Have root anchor the program: security anchor.",
        .withoutKey: "Add the private key to a group of the program's.",
    ]

    // MARK: - For programs

    var json: JSONValue {
        .object([
            ("program", .string(explanation.program)), ("groups", .array(explanation.groups.map { .string($0) })),
            ("refusal", explanation.refusal.map(Self.json) ?? .null),
            ("looked", .number(Int64(clamping: explanation.looked))),
            ("omitted", .number(Int64(clamping: explanation.omitted))),
            ("candidates", .array(explanation.candidates.map(Self.json))),
        ])
    }

    static func json(of refusal: Refusal) -> JSONValue {
        .object([
            ("status", .number(Int64(refusal.status.rawValue))), ("rule", .string(refusal.rule.rawValue)),
            ("subject", .string(refusal.subject)), ("message", .string(refusal.problem)),
            ("remedy", .string(refusal.remedy)),
        ])
    }

    private static let syncNames: [ItemSync: String] = [
        .travels: "travels", .waits: "waits", .hasNoCircle: "no-circle", .isNotMarked: "not-marked",
        .isOfThisDevice: "this-device-only", .isSealed: "sealed", .isGuarded: "access-control",
        .isOfThisMachine: "of-this-machine", .hasNoProgram: "no-program-here",
    ]

    private static func json(of candidate: Explanation.Candidate) -> JSONValue {
        let verdict =
            switch candidate.verdict {
            case .found: "found"
            case .excluded: "excluded"
            case .afterAuthentication: "after-authentication"
            }
        let attributes = ItemJSON.attributes(candidate.attributes, of: candidate.itemClass)
        return .object([
            ("class", .string(candidate.itemClass.code)), ("verdict", .string(verdict)),
            (
                "exclusions",
                .array(
                    candidate.exclusions.map {
                        .object([("rule", .string($0.rule.rawValue)), ("subject", .string($0.subject))])
                    })
            ),
            ("attributes", candidate.isShown ? .object(attributes) : .null),
            ("sync", syncNames[candidate.sync].map { .string($0) } ?? .null),
        ])
    }
}
