import SyncFormat

/// The meaning of a file's name in a log's folder.
struct FolderName: Equatable {
    let seq: UInt64
    /// Another file for the batch, which the program that carries the folder has kept because both were there:
    /// `SEQ.sync-conflict-…` of Syncthing, `SEQ (conflicted copy …)` of others.
    let isWitness: Bool

    private static let digits = 16
    private static let separators = Array(". -_".utf8)

    /// - Parameter log: any slot of the log.
    /// - Returns: nil for a name of somebody else's.
    init?(_ name: String, in log: SyncSlot) {
        let number = String(decoding: name.utf8.prefix(Self.digits), as: UTF8.self)
        guard let slot = try? SyncSlot("\(log.circle.text)/log/\(log.device.text)/\(number)") else { return nil }
        let next = name.utf8.dropFirst(Self.digits).first
        guard next.map(Self.separators.contains) ?? true else { return nil }
        (seq, isWitness) = (slot.seq, next != nil)
    }

    /// The first slot of the log whose folder has a name; nil for a name of somebody else's.
    static func log(_ name: String, of circle: CircleID) -> SyncSlot? {
        try? SyncSlot("\(circle.text)/log/\(name)/\(String(repeating: "0", count: digits - 1))1")
    }
}
