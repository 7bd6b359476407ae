import KeychainWire
import LinuxSystem

/// The file next to the store that says when the last backup was made and checked. It reminds the user of backups.
/// The keychain does without it: one that cannot be read or written is as none.
///
///     file = made " " checked "\n"           ; decimal, seconds since 1970, 0 for never
struct BackupDatesFile {
    let folder: String

    private var path: String { "\(folder)/keychain.backups" }
    private static let longest = 64

    var dates: BackupDates {
        var dates = BackupDates()
        guard let bytes = try? AtomicFile.read(path, limit: Self.longest) else { return dates }
        let numbers = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
            Int64($0)
        }
        if numbers.count == 2 { (dates.made, dates.checked) = (numbers[0], numbers[1]) }
        return dates
    }

    /// Notes a backup whose file is on the disk.
    func note(made: Int64) {
        var dates = BackupDates()
        dates.made = made
        write(dates)
    }

    /// Notes that a backup opens, if it is the last one.
    func note(checked now: Int64, ofBackup made: Int64) {
        var dates = dates
        guard dates.made == made else { return }
        dates.checked = now
        write(dates)
    }

    private func write(_ dates: BackupDates) {
        let text = Array("\(dates.made) \(dates.checked)\n".utf8)
        try? AtomicFile.replace(path, with: text.span)
    }
}
