import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Says why a search ends as it does (`security why`): the same policy, the conditions of the same compiled query, the
/// same opening of rows; only values are left closed.
final class Explainer {
    private let itemReader: ItemReader
    private let subject: CallerIdentity
    private let viewer: CallerIdentity
    private let deadline: Deadline
    private let hasPrograms: (String) throws(Refusal) -> Bool
    /// So many candidates are shown, those that are nearest to the query first.
    private static let most = 20

    /// - Parameters:
    ///   - subject: whose search it is.
    ///   - viewer: who wants to know; it sees its own groups' items, or all if it may look at all.
    ///   - hasPrograms: whether a program of an access group was seen, and is still there.
    init(
        _ itemReader: ItemReader, _ subject: CallerIdentity, for viewer: CallerIdentity, by deadline: Deadline,
        hasPrograms: @escaping (String) throws(Refusal) -> Bool
    ) {
        (self.itemReader, self.subject, self.viewer, self.deadline) = (itemReader, subject, viewer, deadline)
        self.hasPrograms = hasPrograms
    }

    func explain(_ request: ItemRequest) throws(Refusal) -> Explanation {
        guard request.operation == .copyMatching, !request.inspectsAllGroups else { throw .onlySearches }
        var request = request
        request.cursor = 0
        let authorized: AuthorizedRequest
        switch AccessPolicy.decide(request, from: subject) {
        case .allowed(let allowed): authorized = allowed
        case .refused(let refusal): return explanation(refusal)
        }
        let (refusal, found) = try replay(request)
        var explanation = explanation(refusal)
        for nearest in try nearest(authorized, &explanation) {
            guard let candidate = try candidate(nearest, authorized, found) else { continue }
            explanation.candidates.append(candidate)
        }
        return explanation
    }

    private func explanation(_ refusal: Refusal?) -> Explanation {
        Explanation(refusal: refusal, program: subject.program, groups: subject.groups)
    }

    /// The search itself, for references alone: how it ends, and the items it finds by their UUIDs.
    private func replay(_ request: ItemRequest) throws(Refusal) -> (Refusal?, Set<[UInt8]>) {
        var search = request
        search.returns = .persistentReference
        let writer = ResponseWriter()
        itemReader.search(search, from: subject, id: 0, by: deadline, into: writer)
        let answer = writer.complete()
        do throws(Refusal) {
            let items = try ItemResponse(status: answer.status, body: answer.body).items
            return (nil, Set(items.compactMap { $0.attributes.uuid }))
        } catch {
            if error.rule == .deadline { throw error }
            return (error, [])
        }
    }

    // MARK: - Candidates

    private struct Near {
        let itemClass: ItemClass
        let verdict: RowVerdict
        let isOtherClass: Bool
        /// An attribute that differs weighs more than a row that is merely not looked at.
        var distance: Int {
            verdict.unmet.reduce(isOtherClass ? 1 : 0) { if case .attribute = $1 { $0 + 2 } else { $0 + 1 } }
        }
    }

    /// The items that come nearest, in the order of how much keeps them from being found.
    private func nearest(
        _ authorized: AuthorizedRequest, _ explanation: inout Explanation
    ) throws(Refusal) -> [Near] {
        guard let asked = authorized.itemClass else { return [] }
        let own: ItemClass = asked == .identity ? .certificate : asked
        let comparing = AskedAttributes(authorized)
        var near: [Near] = []
        var (looked, omitted) = (UInt64(0), UInt64(0))
        for itemClass in [own] + authorized.request.otherClasses(than: own) {
            let isOther = itemClass != own
            try itemReader.reader.explain(authorized, as: itemClass, seeing: visibleGroups, by: deadline) {
                verdict, row in
                let verdict = adding(row, to: verdict, comparing)
                if verdict.unmet.contains(.tombstone) || isOther && !verdict.unmet.isEmpty { return }
                looked += 1
                near.append(Near(itemClass: itemClass, verdict: verdict, isOtherClass: isOther))
                guard near.count > 4 * Self.most else { return }
                omitted += Self.drop(&near)
            }
        }
        omitted += Self.drop(&near)
        (explanation.looked, explanation.omitted) = (looked, omitted)
        return near
    }

    /// The verdict with the attributes that differ though no column says so; as it was where the row does not open.
    private func adding(
        _ row: SealedRow, to verdict: RowVerdict, _ asked: AskedAttributes
    ) -> RowVerdict {
        let opened = SecretBuffer(capacity: 2048)
        guard asked.asksBeyondColumns(of: row.itemClass) else { return verdict }
        do throws(ItemSealer.Failure) {
            try itemReader.sealer.openMetadata(of: row, reader: itemReader.reader, into: opened)
        } catch { return verdict }
        var verdict = verdict
        for id in asked.differing(in: opened, as: row.itemClass) where !verdict.unmet.contains(.attribute(id)) {
            verdict.unmet.append(.attribute(id))
        }
        return verdict
    }

    private static func drop(_ near: inout [Near]) -> UInt64 {
        near.sort { ($0.distance, $0.verdict.row) < ($1.distance, $1.verdict.row) }
        let rest = max(0, near.count - most)
        near.removeLast(rest)
        return UInt64(rest)
    }

    private var visibleGroups: [String]? { viewer.seesEverything ? nil : viewer.groups }

    /// Nil for what is not to be shown at all: an anchored program's item, to anybody else.
    private func candidate(
        _ near: Near, _ authorized: AuthorizedRequest, _ found: Set<[UInt8]>
    ) throws(Refusal) -> Explanation.Candidate? {
        var candidate = Explanation.Candidate(
            itemClass: near.itemClass, verdict: .excluded, exclusions: near.verdict.unmet.map(\.exclusion),
            isShown: false, attributes: .empty)
        if near.isOtherClass { candidate.exclusions.insert(.init(.otherClass, near.itemClass.code), at: 0) }
        let batch = RowBatch()
        try itemReader.reader.row(near.verdict.row, of: near.itemClass) { batch.append($0) }
        guard let row = batch.first else { return candidate }
        let opened = openedAttributes(of: row, &candidate)
        if viewer.seesEverything, let opened, itemReader.anchoredGroups.hide(opened, from: viewer) { return nil }
        guard candidate.exclusions.isEmpty, let opened else { return candidate }
        judge(&candidate, opened, of: row, authorized, isFound: found.contains(row.uuid))
        return candidate
    }

    /// The attributes of a row; what keeps it closed is noted.
    private func openedAttributes(
        of row: BatchRow, _ candidate: inout Explanation.Candidate
    ) -> AttributeList? {
        let buffer = SecretBuffer(capacity: 2048)
        do throws(ItemSealer.Failure) {
            try itemReader.sealer.openMetadata(of: row, reader: itemReader.reader, into: buffer)
        } catch {
            switch error {
            case .refused(let refusal): candidate.exclusions.append(.init(refusal.rule, refusal.subject))
            case .damaged(let part): candidate.exclusions.append(.init(.damaged, part))
            }
            return nil
        }
        guard let list = try? AttributeList(parsing: buffer.finish()) else { return nil }
        // The attributes of a guarded item are shown to the inspecting command alone (rule
        // authentication.query.attributes).
        let isForAnchored = (try? row.guarded()).flatMap { AccessConstraint(flags: $0.flags).needsAnchor } ?? false
        candidate.isShown =
            !row.isGuarded || viewer.seesEverything && (!isForAnchored || viewer.mayShowAnchored)
        if candidate.isShown { (candidate.attributes, candidate.sync) = (list, sync(of: row, list)) }
        return list
    }

    /// Whether the item goes to other machines. It is no matter of the search, so a failure says nothing.
    private func sync(of row: BatchRow, _ attributes: AttributeList) -> ItemSync {
        guard let item = PlainItem(attributes, row.itemClass, uuid: []) else { return .unsaid }
        let waits = row.withPart(.primaryKey) { key in
            Result { () throws(Refusal) in try itemReader.reader.isUnsent(key, of: row.itemClass) }
        }
        guard case .success(let waits) = waits else { return .unsaid }
        switch (item.staying, waits) {
        case (.isNotMarked?, nil): return .unsaid
        case (let staying?, _): return staying
        case (nil, nil): return .hasNoCircle
        case (nil, true?): return .waits
        case (nil, false?): return isForNobody(attributes) ? .hasNoProgram : .travels
        }
    }

    private func isForNobody(_ attributes: AttributeList) -> Bool {
        guard let group = attributes[.accessGroup]?.string else { return false }
        do throws(Refusal) { return try !hasPrograms(group) } catch { return false }
    }

    /// Judges everything after the attributes: match keys, guards, and how many items were asked for.
    private func judge(
        _ candidate: inout Explanation.Candidate, _ attributes: AttributeList, of row: BatchRow,
        _ authorized: AuthorizedRequest, isFound: Bool
    ) {
        let request = authorized.request
        if isFound { return candidate.verdict = .found }
        if let host = request.query[.hostOrSubdomain]?.string, !attributes.isServed(by: host) {
            return candidate.exclusions.append(.init(.matchKey, "m_HostOrSubdomainOfHost"))
        }
        if let guarded = try? row.guarded() {
            if !authorized.isAnchored, AccessConstraint(flags: guarded.flags).needsAnchor {
                return candidate.exclusions.append(.init(.notAnchored, "accc"))
            }
            if AccessControl.asksTheUser(guarded.flags) {
                candidate.exclusions.append(.init(.needsUser, "accc"))
                return candidate.verdict = request.authenticationUI == .allow ? .afterAuthentication : .excluded
            }
        }
        let rule: Refusal.Rule = authorized.itemClass == .identity ? .withoutKey : .beyondLimit
        candidate.exclusions.append(.init(rule))
    }
}

extension RowVerdict.Condition {
    fileprivate var exclusion: Explanation.Exclusion {
        switch self {
        case .group: .init(.foreignGroup, "agrp")
        case .attribute(let id): .init(.attributeDiffers, AttributeTable.attribute(id: id)?.code ?? "")
        case .reference: .init(.otherReference, "v_PersistentRef")
        case .synchronizable: .init(.otherSynchronizable, "sync")
        case .tombstone: .init(.notFound, "tomb")
        }
    }
}

extension ItemRequest {
    /// The classes that have every attribute of the query too: a search in the wrong class is a common mistake.
    fileprivate func otherClasses(than own: ItemClass) -> [ItemClass] {
        let named = query.compactMap { AttributeTable.attribute(id: $0.id) }
            .filter { ![.accessGroup, .synchronizable, .accessible].contains($0.id) && $0.search == .compared }
        guard !named.isEmpty, persistentReference == nil else { return [] }
        return ItemClass.stored.filter { other in other != own && named.allSatisfy { $0.belongs(to: other) } }
    }
}

extension AttributeList {
    /// The UUID in the persistent reference of a response's item.
    fileprivate var uuid: [UInt8]? {
        guard case .data(let bytes)? = self[.persistentReference],
            case .uuid(let uuid)? = PersistentReference(bytes)?.item
        else { return nil }
        return uuid
    }
}

extension Refusal {
    fileprivate static let onlySearches = Refusal(
        .param, .notAllowedHere, "why", "Only a search can be explained.",
        do: "Ask with the options of a find command; an update or a delete finds what a search finds.")
}
