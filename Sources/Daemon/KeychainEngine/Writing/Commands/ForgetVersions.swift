import KeychainModel
import KeychainPolicy
import KeychainStore
import LinuxSystem

/// Drops all versions of the items that the query finds among the versions, but those of groups that the caller has
/// not; the items stay.
struct ForgetVersions: RequestedWrite {
    let writer: ItemWriter
    let write: AuthorizedWrite

    func run() throws(Refusal) {
        let itemClass = try itemClass()
        let uuids = Set(try versions(as: itemClass).map(\.uuid))
        guard !uuids.isEmpty else { throw .nothingFound(request) }
        for uuid in uuids { try forgetVersions(of: uuid, as: itemClass) }
        answer()
    }

    private func forgetVersions(of uuid: [UInt8], as itemClass: ItemClass) throws(Refusal) {
        var found: [Int64] = []
        let search = VersionSearch(itemClass, groups: authorized.groups, uuid: uuid, since: .min)
        try store.reader.versions(search, by: deadline) { version in
            found.append(version.row.id)
            return true
        }
        for id in found { try store.forget(version: id) }
    }
}
