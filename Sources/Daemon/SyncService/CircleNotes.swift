import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The file next to the store that says where the circle's place is, and what `status` shows of the past. No item and
/// no key depends on it.
///
///     file = "circle 1" "\n" *(key " " value "\n")
///     key  = "place" | "name" | "partner" | "paused" | "doubled" | "looked" | "committed" | "spoken" | "news"
///          | "heard" | "discarded" | "snapshot" | "known"
///
/// A value of `known` is a member, one of `heard` a machine and a time, one of `partner` a machine and its name. Times
/// are seconds since 1970. A value of `discarded` is a machine and the last batch that the place has discarded. One of
/// `snapshot` is the batch that announces a snapshot of this machine's, and the number of its parts.
struct CircleNotes: Equatable, Sendable {
    var place = ""
    /// This machine's name.
    var name = ""
    /// The machine that this one has paired with, until its name comes with the circle.
    var partner: Partner?
    var isPaused = false
    /// Whether the place has other batches in this machine's slots.
    var isDoubled = false
    var looked: Int64 = 0
    var committed: Int64 = 0
    /// When a batch of this machine was last kept; at first, when it first looked.
    var spoken: Int64 = 0
    /// Whether it has read records since.
    var hasNews = false
    /// When a batch of each machine was last read.
    var heard: [MemberID: Int64] = [:]
    /// The members that this machine's user knows; none before it is in.
    var known: Set<MemberID> = []
    /// How far logs were discarded at the place.
    var discarded: [MemberID: UInt64] = [:]
    /// The parts of this machine's snapshots at the place, by the batches that announce them.
    var snapshots: [UInt64: Int] = [:]

    struct Partner: Equatable, Sendable {
        let id: MemberID
        let name: String

        init(_ id: MemberID, _ name: String) { (self.id, self.name) = (id, name) }
    }

    private static let mark = "circle 1"
    /// The longest place, and a line for each machine.
    private static let longest = WireLimits.nameBytes + SyncLimits.saidLogs * 192 + 4096

    init() {}

    /// - Throws: `errSecParam` for a place or a name that no circle and no machine can have.
    init(at place: String, as name: String) throws(Refusal) {
        self.place = try CirclePlace(place).text
        try CirclePlace.checkName(name)
        self.name = name
    }

    /// The file of a store; a new one where there is none.
    ///
    /// - Throws: `errSecIO` when it cannot be read, `errSecDecode` when it is another file. Place and pause would be
    ///   written over if it counted as a new one.
    init(in folder: String) throws(Refusal) {
        guard let bytes = try Self.bytes(folder) else { return }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first, first.elementsEqual(Self.mark.utf8) else { throw .otherCircleFile }
        for line in lines.dropFirst() { if let (key, value) = Self.pair(line) { take(key, value) } }
    }

    /// The words before the first space and behind it; by bytes, for a name may begin with a mark that joins the space.
    private static func pair(_ line: some Collection<UInt8>) -> (String, String)? {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard words.count == 2 else { return nil }
        return (String(decoding: words[0], as: UTF8.self), String(decoding: words[1], as: UTF8.self))
    }

    private static func bytes(_ folder: String) throws(Refusal) -> [UInt8]? {
        do throws(SystemError) { return try AtomicFile.read(path(folder), limit: longest) } catch {
            if error.code == ENOENT { return nil }
            throw .unreadableCircleFile(error)
        }
    }

    private static func path(_ folder: String) -> String { "\(folder)/keychain.circle" }

    private mutating func take(_ key: String, _ value: String) {
        switch key {
        case "place": place = value
        case "name": name = value
        case "partner":
            guard let (id, name) = Self.pair(value.utf8), let number = UInt128(id, radix: 16) else { return }
            partner = Partner(MemberID(number: number), name)
        case "paused": isPaused = true
        case "doubled": isDoubled = true
        case "looked": looked = Int64(value) ?? 0
        case "committed": committed = Int64(value) ?? 0
        case "spoken": spoken = Int64(value) ?? 0
        case "news": hasNews = true
        case "known": if let id = UInt128(value, radix: 16) { known.insert(MemberID(number: id)) }
        default: takeNumbered(key, value)
        }
    }

    private mutating func takeNumbered(_ key: String, _ value: String) {
        let words = value.split(separator: " ")
        guard words.count == 2, let number = Int64(words[1]), number >= 0 else { return }
        switch key {
        case "heard": if let id = UInt128(words[0], radix: 16) { heard[MemberID(number: id)] = number }
        case "discarded":
            if let id = UInt128(words[0], radix: 16) { discarded[MemberID(number: id)] = UInt64(number) }
        case "snapshot":
            if let seq = UInt64(words[0]), number <= SyncLimits.parts { snapshots[seq] = Int(number) }
        default: return
        }
    }

    /// Notes that the place has kept a batch of this machine's, which says what it has read.
    mutating func noteKept(at now: Int64) { (committed, spoken, hasNews) = (now, now, false) }

    /// Whether this machine is to say what it has read, also when it has nothing else to say. Others let go of deleted
    /// items when everyone has read of them, and take a machine that is silent for one that is behind.
    func owesWord(at now: Int64) -> Bool {
        let (day, week): (Int64, Int64) = (86_400, 7 * 86_400)
        // A clock may have been ahead.
        return spoken > 0 && (now < spoken || now - spoken >= (hasNews ? day : week))
    }

    private var text: String {
        var lines = [Self.mark, "looked \(looked)", "committed \(committed)"]
        for (key, value) in [("place", place), ("name", name)] where !value.isEmpty { lines.append("\(key) \(value)") }
        if let partner { lines.append("partner \(partner.id.text) \(partner.name)") }
        if isPaused { lines.append("paused 1") }
        if isDoubled { lines.append("doubled 1") }
        if spoken > 0 { lines.append("spoken \(spoken)") }
        if hasNews { lines.append("news 1") }
        lines += known.sorted().map { "known \($0.text)" }
        for (device, time) in heard.sorted(by: { $0.key < $1.key }) { lines.append("heard \(device.text) \(time)") }
        for (device, seq) in discarded.sorted(by: { $0.key < $1.key }) {
            lines.append("discarded \(device.text) \(seq)")
        }
        for (seq, parts) in snapshots.sorted(by: { $0.key < $1.key }) { lines.append("snapshot \(seq) \(parts)") }
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
