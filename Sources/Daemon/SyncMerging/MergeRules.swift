import SyncFormat

/// The rules of merging that a simulation switches off one at a time, to prove that it would notice their lack. The
/// product has them all: ``all``.
package struct MergeRules: Sendable, Equatable {
    /// A new stamp is larger than the floor that the machine has stated.
    package var floorRaisesStamps = true
    /// A tombstone goes only when every member has read it and has stated a floor that is not below it.
    package var everyMemberAcknowledges = true
    /// A record that is not above the floor its author had stated is not taken.
    package var floorBindsAuthors = true
    /// A machine that hears of a removal publishes its positions at once.
    package var removalIsAcknowledged = true
    /// A removed author's batches count as far as any counted batch names them, not as far as each machine had read.
    package var namedBatchesCount = true
    /// All introductions of a member count, not the one that was read first.
    package var everyIntroductionCounts = true
    /// Statements of a batch count when its sealed part can be read, and not before.
    package var statementsFollowKeys = true
    /// A removal removes those that the removed one introduced, unless it keeps them.
    package var removalCutsIntroduced = true
    /// The generation of a removed author is not used.
    package var generationNeedsItsAuthor = true
    /// Versions of equal stamps are ordered by their bytes.
    package var equalStampsAreOrdered = true
    /// Records far ahead of the clock wait.
    package var farFutureWaits = true
    /// A record's identifier is computed again.
    package var identifiersAreChecked = true
    /// The versions of a removed equivocator are passed on by everyone who holds them.
    package var equivocatorsArePassedOn = true
    /// A batch that passes on versions is read when the removal of their author is.
    package var passingFollowsRemoval = true
    /// A tombstone that others may no longer have is passed on when an older version is.
    package var deletionsAreRenewed = true
    /// The removals that an equivocator's log states are stated again by those who have read them.
    package var removalsAreRepeated = true
    /// A removal in an equivocator's log is known to nobody for certain.
    package var splitRemovalsInformNobody = true
    /// An equivocator's log is read no further, also when it is removed.
    package var splitLogsEnd = true
    /// A tombstone from an equivocator's log does not go before it was passed on.
    package var doubtfulTombstonesStay = true

    /// Keys that are missing are sought in batches whose turn has not come.
    package var keysAreSought = true
    /// The author of a batch with such keys is introduced by what waits, too.
    package var authorsAreIntroduced = true
    /// A machine that cannot read a batch for lack of keys asks for them.
    package var blockedMachinesAsk = true
    /// While records wait for an unlocked machine, it lets no tombstone go.
    package var heldRecordsDelayCollecting = true
    /// A transport that shows less than was read is noticed.
    package var rollbackIsNoticed = true
    /// A member endorses only a snapshot that has what it has itself.
    package var snapshotsAreExamined = true
    /// A member endorses only a snapshot that covers the one that it endorsed before.
    package var endorsementsAscend = true
    /// Logs are discarded only as far as a snapshot covers them that every member has endorsed.
    package var everyMemberEndorses = true
    /// A newcomer trusts only a snapshot that the member has made or endorsed that it has paired with.
    package var startsAreTrusted = true
    /// A newcomer publishes nothing before it has read what its sponsor names.
    package var newcomersReadFirst = true
    /// Only a deleted item gives its local name to the item that it became.
    package var namesComeFromTombstones = true

    /// All rules, as the product has them.
    package static let all = MergeRules()

    /// Those about members.
    var ofMembers: Membership.Rules {
        Membership.Rules(
            everyIntroductionCounts: everyIntroductionCounts, removalCutsIntroduced: removalCutsIntroduced,
            generationNeedsItsAuthor: generationNeedsItsAuthor)
    }
}
