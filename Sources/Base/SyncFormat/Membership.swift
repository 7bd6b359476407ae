/// The members of a circle, by the statements that count. The order in which they are counted changes nothing.
///
/// A removal removes its target, and those that the target introduced, and so on, except those that the removal keeps.
/// A member that is kept stands for those that it introduced. Nothing takes a removal back.
package struct Membership: Sendable {
    /// A machine or a recovery key.
    package struct Member: Hashable, Sendable {
        package let keys: MemberKeys
        /// The member that introduced it; none for the first machine.
        package let sponsor: MemberID
        /// The batch that says so.
        package let place: SyncRecord.Origin
        /// A recovery key has no log and gets no version of anything published; it may only add.
        package let isRecoveryKey: Bool
        /// The newest version that it reads.
        package let reads: UInt16

        package init(
            keys: MemberKeys, sponsor: MemberID, place: SyncRecord.Origin, isRecoveryKey: Bool, reads: UInt16
        ) {
            (self.keys, self.sponsor, self.place) = (keys, sponsor, place)
            (self.isRecoveryKey, self.reads) = (isRecoveryKey, reads)
        }
    }

    /// A removal that counts, by the batch that states it.
    package struct Removal: Hashable, Sendable {
        package let target: MemberID
        package let kept: Set<MemberID>
        package let place: SyncRecord.Origin
    }

    /// A generation, as statements have it: only one of the numbers is true, and anybody can repeat a statement.
    package struct Made: Sendable {
        package let commitment: BatchHash
        /// By the numbers that they have given it. No statement has the number 0: under it are authors of a generation
        /// that is good for no new batch.
        package internal(set) var authors: [UInt32: Set<MemberID>] = [:]
        package internal(set) var recipients: Set<MemberID> = []

        package init(
            commitment: BatchHash, authors: [UInt32: Set<MemberID>] = [:], recipients: Set<MemberID> = []
        ) {
            (self.commitment, self.authors, self.recipients) = (commitment, authors, recipients)
        }

        /// A generation whose keys are kept, and that is good for no new batch.
        package init(keysAlone commitment: BatchHash, of authors: Set<MemberID>) {
            self.init(commitment: commitment, authors: authors.isEmpty ? [:] : [0: authors])
        }

        /// Everybody who has stated it.
        package var allAuthors: Set<MemberID> { authors.values.reduce(into: []) { $0.formUnion($1) } }
    }

    /// The rules that a test can switch off, to show that each is needed.
    package struct Rules: Sendable {
        /// A removal removes those that the removed one introduced, unless it keeps them.
        let removalCutsIntroduced: Bool
        /// The generation of a removed author is not used.
        let generationNeedsItsAuthor: Bool

        package init(removalCutsIntroduced: Bool = true, generationNeedsItsAuthor: Bool = true) {
            self.removalCutsIntroduced = removalCutsIntroduced
            self.generationNeedsItsAuthor = generationNeedsItsAuthor
        }
    }

    /// All that ever belonged to the circle.
    package private(set) var members: [MemberID: Member] = [:]
    /// Those that are out.
    package private(set) var removed: Set<MemberID> = []
    /// The members that each removal removes.
    package private(set) var cuts: [Removal: Set<MemberID>] = [:]
    /// The generations that members have stated.
    package private(set) var generations: [GenerationID: Made] = [:]
    private var sharedLate: [GenerationID: Set<MemberID>] = [:]
    /// Those that each member has introduced, and how many of its removals were counted.
    private var children: [MemberID: [MemberID]] = [:]
    private var stated: [MemberID: Int] = [:]
    /// Members that say that they lack a generation.
    package private(set) var wanted: [GenerationID: Set<MemberID>] = [:]
    private let rules: Rules

    package init(_ rules: Rules = Rules()) { self.rules = rules }

    /// The members that are in, recovery keys among them.
    package var present: [MemberID: Member] { members.filter { !removed.contains($0.key) } }
    /// The machines that are in.
    package var machines: [MemberID] { present.filter { !$0.value.isRecoveryKey }.keys.sorted() }

    /// Adds a member. One that is there already stays as it is.
    package mutating func add(_ id: MemberID, _ member: Member) {
        // The limit is for each sponsor: the introductions of one are counted in one order everywhere.
        let siblings = children[member.sponsor, default: []]
        guard members[id] == nil, siblings.count < SyncLimits.introductions else { return }
        members[id] = member
        children[member.sponsor] = siblings + [id]
        for (removal, cut) in cuts where cut.contains(member.sponsor) { settle(removal) }
    }

    /// Counts a removal. The limit is for each author, as that of introductions is.
    package mutating func remove(_ target: MemberID, kept: [MemberID], at place: SyncRecord.Origin) {
        let removal = Removal(target: target, kept: Set(kept), place: place)
        guard cuts[removal] == nil, stated[place.device, default: 0] < SyncLimits.removals else { return }
        stated[place.device, default: 0] += 1
        settle(removal)
    }

    /// Counts a statement that makes a generation.
    package mutating func make(_ generation: Generation, by author: MemberID) {
        var made = generations[generation.id] ?? Made(commitment: generation.commitment)
        made.authors[generation.number, default: []].insert(author)
        made.recipients.formUnion(generation.shares.map(\.recipient))
        generations[generation.id] = made
    }

    /// Counts what was kept of the statements about a generation.
    package mutating func restore(_ id: GenerationID, _ made: Made) { generations[id] = made }

    /// Counts late shares.
    package mutating func share(_ late: Generation) {
        for share in late.shares {
            sharedLate[late.id, default: []].insert(share.recipient)
            wanted[late.id]?.remove(share.recipient)
        }
    }

    /// All that a generation was made for or shared with.
    package func recipients(of id: GenerationID) -> Set<MemberID> {
        (generations[id]?.recipients ?? []).union(sharedLate[id] ?? [])
    }

    /// Counts that a member lacks a generation.
    package mutating func want(_ id: GenerationID, by member: MemberID) { wanted[id, default: []].insert(member) }

    private mutating func settle(_ removal: Removal) {
        let cut = cut(by: removal)
        cuts[removal] = cut
        removed.formUnion(cut)
    }

    /// The target, and all below it in the tree of introductions, without those that are kept and those below them.
    private func cut(by removal: Removal) -> Set<MemberID> {
        var (found, rest): (Set<MemberID>, [MemberID]) = ([], [removal.target])
        while let one = rest.popLast() {
            found.insert(one)
            guard rules.removalCutsIntroduced else { continue }
            for id in children[one] ?? [] where !found.contains(id) {
                if !removal.kept.contains(id), id != removal.place.device { rest.append(id) }
            }
        }
        return found
    }

    /// Members that the removal of a target removes if it keeps nobody.
    package func introduced(by target: MemberID) -> [MemberID] {
        let nobody = SyncRecord.Origin(device: .none, seq: 1)
        return cut(by: Removal(target: target, kept: [], place: nobody)).subtracting([target]).sorted()
    }
}

// MARK: - Generations

extension Membership {
    /// The largest number that an author who is in has given to the generation; nil when a recipient is not in.
    private func eligibleNumber(_ id: GenerationID, _ made: Made) -> UInt32? {
        guard recipients(of: id).isDisjoint(with: removed) else { return nil }
        return made.authors.filter { number, authors in
            number > 0 && (!rules.generationNeedsItsAuthor || !authors.isSubset(of: removed))
        }.keys.max()
    }

    /// Whether a generation may be used for new batches.
    package func isEligible(_ id: GenerationID) -> Bool {
        generations[id].map { eligibleNumber(id, $0) != nil } ?? false
    }

    /// The generation for new batches, without its shares: the largest by number, then by identifier, of those that an
    /// author has made who is in, and whose recipients are all in.
    package var currentGeneration: Generation? {
        generations.compactMap { id, made in
            eligibleNumber(id, made).map { Generation(number: $0, commitment: made.commitment, shares: []) }
        }.max { ($0.number, $0.id) < ($1.number, $1.id) }
    }

    /// The number of the next generation; nil when they are used up.
    package var nextGeneration: UInt32? {
        let (next, overflow) = (currentGeneration?.number ?? 0).addingReportingOverflow(1)
        return overflow ? nil : next
    }

    /// Members that get the keys of new generations.
    package var recipients: [MemberID: MemberKeys] { present.mapValues(\.keys) }

    /// Those present that a generation has no share for, or that say that theirs was none.
    package func lacking(_ id: GenerationID) -> [MemberID] {
        let (got, wanting) = (recipients(of: id), wanted[id] ?? [])
        return present.keys.filter { !got.contains($0) || wanting.contains($0) }.sorted()
    }
}

// MARK: - Little room

extension Membership {
    /// Forgets what has no effect any more: generations that nothing may be sealed with, removals that removed members
    /// state of strangers or of those that are out without them, and members that are out with their sponsor. One that
    /// the sponsor introduces again is out again.
    ///
    /// - Parameter held: generations that stay, without their numbers and recipients, so that they are good for no new
    ///   batch.
    package mutating func forgetRemoved(keeping held: Set<GenerationID>) {
        for (id, made) in generations where !isEligible(id) {
            generations[id] = held.contains(id) ? Made(keysAlone: made.commitment, of: lastingAuthors(of: made)) : nil
            sharedLate[id] = nil
        }
        let outAnyway = cuts.filter { !removed.contains($0.key.place.device) }.values
            .reduce(into: Set<MemberID>()) { $0.formUnion($1) }
        for (removal, cut) in cuts where removed.contains(removal.place.device) {
            if members[removal.target] == nil || cut.isSubset(of: outAnyway) { cuts[removal] = nil }
        }
        let targets = Set(cuts.keys.map(\.target))
        for id in removed.subtracting(targets) where members[id].map({ removed.contains($0.sponsor) }) == true {
            members[id] = nil
        }
        children = Dictionary(grouping: members.keys) { members[$0]?.sponsor ?? .none }
        removed = []
        for removal in cuts.keys { settle(removal) }
    }

    /// The authors that are in; where none is, one of the others.
    private func lastingAuthors(of made: Made) -> Set<MemberID> {
        let authors = made.allAuthors
        let present = authors.filter { members[$0] != nil && !removed.contains($0) }
        return present.isEmpty ? Set(authors.min().map { [$0] } ?? []) : present
    }
}
