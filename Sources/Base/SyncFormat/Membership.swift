/// The members of a circle, by the statements that count. The order in which they are counted changes nothing.
///
/// A member that is in has a chain of introductions from the genesis on that no removal cuts. A removal cuts a chain
/// that has its target, unless somebody behind the target there is kept, or the author of the removal. A member may
/// have several chains: another one in wrong hands that introduces it once more changes nothing.
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
        /// Whether the author stays where it is, as those do that are kept. Where it has named as many as a statement
        /// has room for, another member could not say the same.
        var keepsItsAuthor: Bool { kept.count < SyncLimits.kept }
        /// Those that a removal keeps by which another member says the same.
        package var keptByRepetition: Set<MemberID> { keepsItsAuthor ? kept.union([place.device]) : kept }
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
        package init(keysAlone commitment: BatchHash, of authors: Set<MemberID>, recipients: Set<MemberID> = []) {
            self.init(
                commitment: commitment, authors: authors.isEmpty ? [:] : [0: authors], recipients: recipients)
        }

        /// Whether no batch that counts has stated it: its keys came with one whose turn has not come.
        package var isSought: Bool { authors.keys.allSatisfy { $0 == 0 } && recipients.isEmpty }

        /// Everybody who has stated it.
        package var allAuthors: Set<MemberID> { authors.values.reduce(into: []) { $0.formUnion($1) } }
    }

    /// The rules that a test can switch off, to show that each is needed.
    package struct Rules: Sendable {
        /// All introductions of a member count, not the one alone that was read first.
        let everyIntroductionCounts: Bool
        /// A removal removes those that the removed one introduced, unless it keeps them.
        let removalCutsIntroduced: Bool
        /// The generation of a removed author is not used.
        let generationNeedsItsAuthor: Bool

        package init(
            everyIntroductionCounts: Bool = true, removalCutsIntroduced: Bool = true,
            generationNeedsItsAuthor: Bool = true
        ) {
            self.everyIntroductionCounts = everyIntroductionCounts
            self.removalCutsIntroduced = removalCutsIntroduced
            self.generationNeedsItsAuthor = generationNeedsItsAuthor
        }
    }

    /// All that ever belonged to the circle, each by the introduction that ends its best chain.
    package internal(set) var members: [MemberID: Member] = [:]
    /// Those that are out.
    package internal(set) var removed: Set<MemberID> = []
    /// The members that each removal removes.
    package internal(set) var cuts: [Removal: Set<MemberID>] = [:]
    /// The introductions of each member, by sponsor.
    package internal(set) var introductions: [MemberID: [MemberID: Member]] = [:]
    /// The generations that members have stated.
    package internal(set) var generations: [GenerationID: Made] = [:]
    /// Those that got keys late, by those that have given them.
    var sharedLate: [GenerationID: [MemberID: Set<MemberID>]] = [:]
    /// How many introductions and removals of each author were counted.
    var counted: [MemberID: Int] = [:]
    /// Members that were found by one chain and then by a better one. For those behind them, all chains are followed.
    var rerouted: Set<MemberID> = []
    private var stated: [MemberID: Int] = [:]
    /// Members that say that they lack a generation.
    package private(set) var wanted: [GenerationID: Set<MemberID>] = [:]
    let rules: Rules

    package init(_ rules: Rules = Rules()) { self.rules = rules }

    /// The members that are in, recovery keys among them.
    package var present: [MemberID: Member] { members.filter { !removed.contains($0.key) } }
    /// The machines that are in.
    package var machines: [MemberID] { present.filter { !$0.value.isRecoveryKey }.keys.sorted() }

    /// Counts an introduction, the first that a sponsor states of a member.
    package mutating func add(_ id: MemberID, _ member: Member) {
        guard id != member.sponsor, introductions[id]?[member.sponsor] == nil,
            rules.everyIntroductionCounts || introductions[id] == nil
        else { return }
        // The limit is for each sponsor: the introductions of one are counted in one order everywhere.
        guard counted[member.sponsor, default: 0] < SyncLimits.introductions else { return }
        counted[member.sponsor, default: 0] += 1
        introductions[id, default: [:]][member.sponsor] = member
        settle(introduced: id)
    }

    /// Whether a removal says no more than a counted one, by which its target is out: nobody else goes by it, also of
    /// those who were not counted here.
    package func isRepeated(_ target: MemberID, kept: [MemberID]) -> Bool {
        let stays = Set(kept)
        guard cuts.contains(where: { $1.contains(target) && stays.isSuperset(of: $0.keptByRepetition) }) else {
            return false
        }
        var after = self
        after.remove(target, kept: kept, at: SyncRecord.Origin(device: .none, seq: .max))
        return after.removed == removed
    }

    /// How many removals of an author were counted.
    package func removals(by author: MemberID) -> Int { stated[author] ?? 0 }

    /// Counts a removal. The limit is for each author, as that of introductions is.
    package mutating func remove(_ target: MemberID, kept: [MemberID], at place: SyncRecord.Origin) {
        if note(Removal(target: target, kept: Set(kept), place: place)) { settle() }
    }

    /// - Returns: whether chains are to be followed again.
    private mutating func note(_ removal: Removal) -> Bool {
        let (target, author) = (removal.target, removal.place.device)
        guard cuts[removal] == nil, stated[author, default: 0] < SyncLimits.removals else { return false }
        stated[author, default: 0] += 1
        cuts[removal] = [target]
        removed.insert(target)
        return introductions[target] != nil
    }

    /// Those that are out when the removals of a batch count too. Chains are followed once, however many it has.
    package func removed(by batch: SyncBatch) -> Set<MemberID> {
        var (after, isChanged) = (self, false)
        for case .remove(let target, _, let kept) in batch.statements {
            let place = SyncRecord.Origin(device: batch.header.device, seq: batch.header.seq)
            if after.note(Removal(target: target, kept: Set(kept), place: place)) { isChanged = true }
        }
        if isChanged { after.settle() }
        return after.removed
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

    /// Counts late shares, which the author of a batch states.
    package mutating func share(_ late: Generation, by author: MemberID) {
        sharedLate[late.id, default: [:]][author, default: []].formUnion(late.shares.map(\.recipient))
        for share in late.shares {
            wanted[late.id]?.remove(share.recipient)
        }
    }

    /// All that a generation was made for or shared with.
    package func recipients(of id: GenerationID) -> Set<MemberID> {
        (sharedLate[id] ?? [:]).values.reduce(generations[id]?.recipients ?? []) { $0.union($1) }
    }

    /// The members without keys of a generation that may have them. Where no statement makes it that is counted here,
    /// those who have shared it know who is out for its author. When one of them is out, the others stand in for it.
    ///
    /// - Parameters:
    ///   - isLeftBehind: one that is out has shared it in a batch that does not count here.
    ///   - silent: members that cannot say yet that a share is none. They get another one when all are out that have
    ///     given them one.
    package func lacking(_ id: GenerationID, isLeftBehind: Bool, silent: Set<MemberID>) -> [MemberID] {
        let wanting = wanted[id] ?? []
        if generations[id] != nil {
            let got = recipients(of: id).subtracting(silent).union(silent.filter { hasKeys(of: id, $0) })
            return present.keys.filter { !got.contains($0) || wanting.contains($0) }.sorted()
        }
        let isLeft = isLeftBehind || sharedLate[id]?.keys.contains(where: removed.contains) == true
        return isLeft ? present.keys.filter(wanting.contains).sorted() : []
    }

    /// Whether a member was given keys of any generation.
    package func hasKeys(_ member: MemberID) -> Bool {
        generations.values.contains { $0.recipients.contains(member) }
            || sharedLate.values.contains { $0.values.contains { $0.contains(member) } }
    }

    /// Whether one that is in has given a member keys of a generation.
    private func hasKeys(of id: GenerationID, _ member: MemberID) -> Bool {
        let made = generations[id]
        return made?.recipients.contains(member) == true && made?.allAuthors.isSubset(of: removed) == false
            || sharedLate[id]?.contains { !removed.contains($0) && $1.contains(member) } == true
    }

    /// Counts that a member lacks a generation.
    package mutating func want(_ id: GenerationID, by member: MemberID) { wanted[id, default: []].insert(member) }
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
}
