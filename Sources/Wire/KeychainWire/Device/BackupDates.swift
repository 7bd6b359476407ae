import KeychainModel
import LinuxSystem

/// When the keychain's last backup was made, and when it was last found to open; and the shelves of protected files:
/// `made:i64 checked:i64 shelves:u64 later:u64`.
package struct BackupDates: Equatable, Sendable {
    /// Seconds since 1970; 0 for never.
    package var made: Int64 = 0
    /// When every part of that backup was last opened, in seconds since 1970; 0 for never.
    package var checked: Int64 = 0
    /// How many shelves there are, and how many of them came after the last backup.
    package var (shelves, laterShelves): (UInt64, UInt64) = (0, 0)

    package init() {}

    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: made)
        buffer.append(littleEndian: checked)
        buffer.append(littleEndian: shelves)
        buffer.append(littleEndian: laterShelves)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        (made, checked) = (try reader.integer(Int64.self), try reader.integer(Int64.self))
        (shelves, laterShelves) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
    }
}
