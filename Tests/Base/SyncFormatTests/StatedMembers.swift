import SyncFormat

/// Something that a member states of members.
enum Stated: Hashable {
    case add(Int, by: Int, isKey: Bool = false)
    case remove(Int, by: Int, keeping: [Int] = [])

    var author: Int {
        switch self {
        case .add(_, let author, _), .remove(_, let author, _): author
        }
    }

    func count(in membership: inout Membership) {
        switch self {
        case .add(let member, let sponsor, let isKey):
            let keys = MemberKeys(signing: [UInt8(member)], agreement: [])
            membership.add(
                id(member),
                .init(
                    keys: keys, sponsor: id(sponsor), place: .init(device: id(sponsor), seq: UInt64(member)),
                    isRecoveryKey: isKey, reads: 1))
        case .remove(let target, let author, let kept):
            let place = SyncRecord.Origin(device: id(author), seq: UInt64(100 + target))
            membership.remove(id(target), kept: kept.map(id), at: place)
        }
    }
}

/// The genesis is by nobody: 0 adds 1.
func id(_ number: Int) -> MemberID { MemberID(number: UInt128(number)) }

func counted(_ statements: [Stated]) -> Membership {
    statements.reduce(into: Membership()) { $1.count(in: &$0) }
}
