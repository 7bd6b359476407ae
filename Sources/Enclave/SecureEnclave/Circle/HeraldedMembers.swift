import SyncFormat

/// Members that batches introduce whose turn has not come, and who are authors of such batches. They are in no vault,
/// get no keys, and are shown to nobody.
struct HeraldedMembers: Sendable {
    /// As many as a position vector names; of more, the first are kept. Those that the circle's own have added come
    /// before those of a member in wrong hands and its accomplices.
    private static let most = SyncLimits.members

    private var circle = CircleID.none
    private var members: [MemberID: Membership.Member] = [:]

    /// Adds them to a circle.
    func join(_ record: inout CircleRecord) {
        guard record.circle == circle else { return }
        for (id, member) in members { record.membership.add(id, member) }
    }

    /// Keeps those that a circle has besides another state of it.
    mutating func note(_ ahead: CircleRecord, besides record: CircleRecord) {
        let found = ahead.membership.members.filter { record.membership.members[$0.key] == nil }
        if circle != record.circle { (circle, members) = (record.circle, [:]) }
        if found.count <= Self.most { members = found }
    }
}

extension CircleRecord {
    /// Takes over the keys of a state that may never be. Its members and generations stay behind.
    ///
    /// - Parameter author: of the batch that brings them. They make room once it is out.
    mutating func takeKeys(of ahead: CircleRecord, by author: MemberID) {
        for id in ahead.held.keys where membership.generations[id] == nil {
            guard let made = ahead.membership.generations[id] else { continue }
            membership.restore(id, .init(keysAlone: made.commitment, of: [author]))
        }
        (held, recordKey) = (ahead.held, ahead.recordKey)
    }
}
