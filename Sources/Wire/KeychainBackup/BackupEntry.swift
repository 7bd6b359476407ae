import KeychainModel
import KeychainWire
package import LinuxSystem

/// Anything that a part has a record of.
package enum BackupEntry: Sendable {
    case item(BackupRecord)
    case shelf(BackupShelf)

    /// Reads the records of an opened part.
    ///
    /// - Parameters:
    ///   - name: what a refusal calls the part.
    ///   - hasShelves: whether the version of the backup has any.
    /// - Throws: `damaged` for bytes that are not exactly the records of one part.
    package static func read(
        _ part: SecretBytes, _ name: String, hasShelves: Bool, _ visit: (BackupEntry) -> Void
    ) throws(BackupProblem) {
        var reader = WireReader(part)
        var count = 0
        do throws(Refusal) {
            while !reader.isAtEnd {
                guard count == 0 || part.count <= BackupFraming.partBytes, count < BackupFraming.partRecords else {
                    throw .malformed("the size of a part")
                }
                visit(try Self(try reader.secret(atMost: BackupRecord.most), hasShelves: hasShelves))
                count += 1
            }
        } catch { throw .damaged(name) }
    }

    private init(_ body: SecretBytes, hasShelves: Bool) throws(Refusal) {
        var reader = WireReader(body)
        let recordClass = BackupClass(number: try reader.integer(UInt8.self))
        let (flag, zero) = (try reader.integer(UInt8.self), try reader.integer(UInt16.self))
        switch recordClass {
        case .item(let itemClass)? where flag == 0 && zero == 0:
            self = .item(try BackupRecord(itemClass, body, from: &reader))
        case .shelf? where hasShelves && flag < 2 && zero == 0:
            self = .shelf(try BackupShelf(isOfOther: flag == 1, from: &reader))
        case .item?, .shelf?, nil: throw .malformed("a class")
        }
    }
}
