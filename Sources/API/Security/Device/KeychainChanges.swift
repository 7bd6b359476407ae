internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// A notice that items of an access group may have changed. It names no item: a program that shows items reads them
/// again.
public struct KeychainChange: Hashable, Sendable {
    /// The access group.
    public let group: String
    /// The number of the group's present state, below 2^63. Another number means another state; its size means nothing.
    public let number: UInt64

    /// - Parameters:
    ///   - group: the access group.
    ///   - number: its number, as an earlier notice had it.
    public init(group: String, number: UInt64) { (self.group, self.number) = (group, number) }

    init(_ number: GroupNumber) { self.init(group: number.group, number: number.number) }
}

/// Notices about items of the program's access groups. The change may be that of this program, of another program of
/// the group, of another machine, or of a backup that is restored. An extension to Apple's API.
///
///     for try await change in try KeychainChanges(in: ["ABCDE12345.shared"]) {
///         reload(change.group)
///     }
///
/// Several changes may be one notice, also an item of which the program learns nothing else; no change is without one.
/// A program that keeps the numbers hears with ``init(in:since:)`` of what it has missed. A daemon that was started
/// again, and so every restored folder, has other numbers: something may have changed then.
///
/// A program hears of its own groups alone, and nothing of how often others change. Notices come while the keychain is
/// locked too. A keychain in the program itself tells at once what its own process changes. Of other processes it
/// notices within a second that they have written, and gives notice of each group: it does not know which it was.
///
/// Each loop over a sequence has a thread, which the keychain wakes.
public struct KeychainChanges: AsyncSequence, Sendable {
    /// A notice.
    public typealias Element = KeychainChange

    /// The groups and their numbers when the sequence was made. The first notices are those of groups whose numbers
    /// in `since` are others; then come those of groups that have changed since.
    public let beginning: [KeychainChange]
    private let known: [GroupNumber]
    private let source: KeychainSession.Source

    /// Begins to watch: no later change is without a notice.
    ///
    /// - Parameters:
    ///   - groups: access groups of the program; nil for all that it has.
    ///   - earlier: notices, or the ``beginning`` of another sequence, perhaps of an earlier process.
    /// - Throws: ``SecItemError`` with `errSecMissingEntitlement` for a group that is not the program's, and for a
    ///   program without groups; with `errSecNotAvailable` when no keychain can be reached; with `errSecParam` for
    ///   an empty list or more than 1024 groups, and where an earlier release answers.
    public init(in groups: [String]? = nil, since earlier: [KeychainChange] = []) throws {
        do throws(Refusal) {
            source = KeychainSession.source()
            let now = try Self.numbers(of: groups, from: source)
            beginning = now.map { KeychainChange($0) }
            known = now.map { now in
                let known = earlier.last { $0.group.hasBytes(of: now.group) }
                return GroupNumber(group: now.group, number: known?.number ?? now.number)
            }
        } catch { throw SecItemError(error) }
    }

    private static func numbers(
        of groups: [String]?, from source: KeychainSession.Source
    ) throws(Refusal) -> [GroupNumber] {
        var names: Set<ExactText> = []
        let named = (groups ?? []).filter { names.insert(ExactText($0)).inserted }
        guard groups == nil || (1...GroupWatch.mostGroups).contains(named.count) else { throw .noGroupsToWatch }
        let watch = GroupWatch(named.map { GroupNumber(group: $0) })
        guard case .groups(let numbers) = try source().device(.watchGroups(watch), passcodes: []),
            named.isEmpty || numbers.count == named.count
        else { throw .malformed("the numbers of groups") }
        return numbers
    }

    /// Begins another loop, with the notices that a first one would get.
    public func makeAsyncIterator() -> Iterator { Iterator(makeWatch()) }

    /// A watch that has not begun.
    package func makeWatch() -> GroupChangeWatch { GroupChangeWatch(known, source) }

    /// The notices of one loop. It throws ``SecItemError`` when the keychain refuses to tell more, such as
    /// `errSecMissingEntitlement` after the program has lost a group. It waits for a keychain that cannot be reached.
    public struct Iterator: AsyncIteratorProtocol {
        private let watch: GroupChangeWatch
        private var signals: AsyncThrowingStream<Void, any Error>.Iterator

        init(_ watch: GroupChangeWatch) {
            self.watch = watch
            let stream = AsyncThrowingStream<Void, any Error>(bufferingPolicy: .bufferingNewest(1)) { watch.signal($0) }
            signals = stream.makeAsyncIterator()
        }

        /// The next notice; nil when the task was cancelled.
        public mutating func next() async throws -> KeychainChange? {
            while true {
                if let change = watch.take() { return change }
                guard try await signals.next() != nil else { return nil }
            }
        }
    }
}

extension Refusal {
    fileprivate static let noGroupsToWatch = Refusal(
        .param, .contradiction, "groups", "Changes are told of 1 to \(GroupWatch.mostGroups) access groups.",
        do: "Name some of the program's groups, or give nil for all of them.")
}
