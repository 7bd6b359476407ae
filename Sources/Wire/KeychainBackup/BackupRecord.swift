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

    /// Reads what follows the class of a record.
    init(_ itemClass: ItemClass, _ body: SecretBytes, from reader: inout WireReader) throws(Refusal) {
        (self.itemClass, uuid) = (itemClass, try reader.array(Self.uuidBytes))
        do throws(AttributeList.Malformed) {
            list = try AttributeList(parsing: body, in: Self.headBytes..<body.count)
        } catch { throw .malformed("the attributes of a record") }
    }
}

extension AccessConstraint {
    /// Whether an item or a shelf leaves in a backup for which these factors were shown: where no finger, no password
    /// of its own and no anchored program is demanded besides.
    package func isMetInBackup(by shown: AuthenticationFactors) -> Bool {
        isUnderstood && !needsPassword && !needsAnchor && isMet(by: shown, enrolmentIsCurrent: false)
    }
}
