import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The file next to the store that says where the circle's place is, and what `status` shows of the past. No item and
/// no key depends on it.
///
///     file = "circle 1" "\n" *(key " " value "\n")
///     key  = "place" | "name" | "paused" | "doubled" | "looked" | "committed" | "heard"
///
/// A value of `heard` is a machine and a time. Times are seconds since 1970.
struct CircleNotes: Equatable, Sendable {
    var place = ""
    /// This machine's name.
    var name = ""
    var isPaused = false
    /// Whether the place has other batches in this machine's slots.
    var isDoubled = false
    var looked: Int64 = 0
    var committed: Int64 = 0
    /// When a batch of each machine was last read.
    var heard: [MemberID: Int64] = [:]

    private static let mark = "circle 1"
    /// The longest place, and a line for each machine.
    private static let longest = WireLimits.nameBytes + SyncLimits.saidLogs * 64 + 1024

    init() {}

    /// The file of a store; a new one where there is none.
    ///
    /// - Throws: `errSecIO` when it cannot be read, or is of a later release: the next change would write over it.
    init(in folder: String) throws(Refusal) {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try AtomicFile.read(Self.path(folder), limit: Self.longest) } catch {
            guard error.code == ENOENT else { throw .unreadableCircleFile("\(error)") }
            return
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.first == Self.mark[...] else { throw .unreadableCircleFile("it does not begin with \(Self.mark)") }
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", maxSplits: 1)
            if words.count == 2 { take(words[0], String(words[1])) }
        }
    }

    private static func path(_ folder: String) -> String { "\(folder)/keychain.circle" }

    private mutating func take(_ key: Substring, _ value: String) {
        switch key {
        case "place": place = value
        case "name": name = value
        case "paused": isPaused = true
        case "doubled": isDoubled = true
        case "looked": looked = Int64(value) ?? 0
        case "committed": committed = Int64(value) ?? 0
        case "heard":
            let words = value.split(separator: " ")
            guard words.count == 2, let number = UInt128(words[0], radix: 16) else { return }
            heard[MemberID(number: number)] = Int64(words[1]) ?? 0
        default: return
        }
    }

    private var text: String {
        var lines = [Self.mark, "looked \(looked)", "committed \(committed)"]
        for (key, value) in [("place", place), ("name", name)] where !value.isEmpty { lines.append("\(key) \(value)") }
        if isPaused { lines.append("paused 1") }
        if isDoubled { lines.append("doubled 1") }
        for (device, time) in heard.sorted(by: { $0.key < $1.key }) { lines.append("heard \(device.text) \(time)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Writes the file.
    ///
    /// - Throws: `errSecIO` when it cannot be written.
    func write(in folder: String) throws(Refusal) {
        let bytes = Array(text.utf8)
        do { try AtomicFile.replace(Self.path(folder), with: bytes.span) } catch { throw .noCircleFile(error) }
    }
}
