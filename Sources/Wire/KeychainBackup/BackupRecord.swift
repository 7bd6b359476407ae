package import KeychainModel
import KeychainWire
package import LinuxSystem

/// One item of a part, in the clear: its attributes, and its value as the last of them.
///
///     part   = *record
///     record = length:u32 class:u8 0:u8 0:u16 uuid:16 list          ; length: of what follows it
///
/// The list is that of docs/formats/store.md, with the value as `v_Data` behind the attributes.
package struct BackupRecord: Sendable {
    package let itemClass: ItemClass
    package let uuid: [UInt8]
    package let list: AttributeList

    package init(itemClass: ItemClass, uuid: [UInt8], list: AttributeList) {
        (self.itemClass, self.uuid, self.list) = (itemClass, uuid, list)
    }

    private static let uuidBytes = 16
    private static let headBytes = 20
    /// How many bytes the record of a list has, with its length.
    package static func size(of list: AttributeList) -> Int { 4 + headBytes + list.encodedCount }
    /// The most bytes of a record: alone in a part it fits a box.
    package static var most: Int { BackupFraming.boxBytes - 28 }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: UInt32(Self.headBytes + list.encodedCount))
        buffer.append(littleEndian: UInt32(itemClass.rawValue))
        buffer.append(uuid.span)
        list.append(to: buffer)
    }

    /// Reads the records of an opened part.
    ///
    /// - Parameter name: what a refusal calls the part.
    /// - Throws: `damaged` for bytes that are not exactly the records of one part.
    package static func read(
        _ part: SecretBytes, _ name: String, _ visit: (BackupRecord) -> Void
    ) throws(BackupProblem) {
        var reader = WireReader(part)
        var count = 0
        do throws(Refusal) {
            while !reader.isAtEnd {
                guard count == 0 || part.count <= BackupFraming.partBytes, count < BackupFraming.partRecords else {
                    throw .malformed("the size of a part")
                }
                visit(try BackupRecord(from: try reader.secret(atMost: most)))
                count += 1
            }
        } catch { throw .damaged(name) }
    }

    private init(from body: SecretBytes) throws(Refusal) {
        var reader = WireReader(body)
        guard let code = UInt8(exactly: try reader.integer(UInt32.self)), let itemClass = ItemClass(rawValue: code),
            ItemClass.stored.contains(itemClass)
        else { throw .malformed("a class") }
        uuid = try reader.array(Self.uuidBytes)
        self.itemClass = itemClass
        do throws(AttributeList.Malformed) {
            list = try AttributeList(parsing: body, in: Self.headBytes..<body.count)
        } catch { throw .malformed("the attributes of a record") }
    }
}

extension AccessConstraint {
    /// Whether an item leaves in a backup for which these factors were shown: where no finger, no password of its own
    /// and no anchored program is demanded besides.
    package func isMetInBackup(by shown: AuthenticationFactors) -> Bool {
        isUnderstood && !needsPassword && !needsAnchor && isMet(by: shown, enrolmentIsCurrent: false)
    }
}
