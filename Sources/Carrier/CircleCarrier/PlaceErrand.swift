import KeychainClient
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import ObjectTransport
import PostgresTransport
import SyncFormat
import SyncTransports

/// Work at a circle's place that `security sync` has done. It comes as lines of the standard input, so that no secret
/// is among the words of a command line.
///
///     prepare = place LF secret LF [secret LF] ["recovery" LF]      → "ok" [SP hash] LF
///     admit   = keys:130 LF hash LF                                 → "ok" LF
///     forget  = nothing                                             → "ok" LF
///     recover = place LF circle LF                                  → "ok" LF
///     a failure                                                     → "problem" SP text LF
///
/// Bytes are hexadecimal digits. A server's secret is an invitation of 32 bytes, or an empty line on a machine that
/// joins. The secrets of a bucket are its two keys. A line `recovery` follows them where a circle is entered that way:
/// an invitation is one into a circle then. `circle` is empty for all circles of a folder, and for the one of a
/// server's invitation. `hash` is SHA-256 of a machine's token.
package enum PlaceErrand: Sendable {
    /// Tries a place, and keeps what this machine shows there. The keychain is in no circle yet, or in one that a
    /// recovery has left behind.
    case prepare
    /// Lets a machine in that was added to the circle.
    case admit
    /// Forgets what this machine has shown. The keychain is in no circle any more.
    case forget
    /// Gives the daemon what a place has, for a recovery key. The keychain is in no circle yet.
    case recover

    /// More than a place and what is shown there.
    static let inputBytes = 16 << 10
}

/// An errand under way.
struct PlaceWork {
    private let daemon: any CircleDaemon
    private let secrets: SecretOfPlace
    private let harden: (SyncPlace) -> Void

    /// - Parameter harden: takes the rights away that a place does not need, before it is reached.
    init(_ connection: any KeychainConnection, harden: @escaping (SyncPlace) -> Void) {
        (daemon, secrets, self.harden) = (DaemonCircle(connection), SecretOfPlace(connection), harden)
    }

    /// - Returns: the answer, and whether it is one of success.
    func run(_ errand: PlaceErrand, _ input: SecretBytes) -> (line: String, isDone: Bool) {
        let lines = input.lines
        do throws(Problem) {
            switch errand {
            case .prepare: return ("ok\(try prepare(lines))", true)
            case .admit: try admit(lines)
            case .forget: try forget()
            case .recover: try recover(lines)
            }
            return ("ok", true)
        } catch { return ("problem \(error.text.plain)", false) }
    }

    /// A problem for people to read.
    struct Problem: Error {
        let text: String
    }

    private func prepare(_ lines: [SecretBytes]) throws(Problem) -> String {
        guard lines.count >= 2, let place = SyncPlace(lines[0].text) else { throw Problem("the place is none") }
        let secrets = if case .bucket = place { 2 } else { 1 }
        let recovers = lines.dropFirst(1 + secrets).first?.text == Self.recovery
        guard try mayEnter(recovers) else { throw Problem("the keychain belongs to a circle already") }
        harden(place)
        switch place {
        case .folder: return ""
        case .server(let url): return try prepareServer(url, place, lines[1], recovers)
        case .bucket(let url):
            let keys = SecretBytes.joined(Array(lines.dropFirst().prefix(2)))
            try moving { () throws(TransportProblem) in try CarrierPlace.bucket(url, .none, keys).check() }
            try asking { () throws(Refusal) in try self.secrets.keep(keys, for: place) }
            return ""
        }
    }

    private static let recovery = "recovery"

    /// A recovery that was cut off has left a circle behind, in which this machine has said nothing.
    private func mayEnter(_ recovers: Bool) throws(Problem) -> Bool {
        guard let there = try asking({ () throws(Refusal) in try daemon.positions() }) else { return true }
        return recovers && there.heads[there.me] == nil
    }

    private func prepareServer(
        _ url: String, _ place: SyncPlace, _ shown: SecretBytes, _ recovers: Bool
    ) throws(Problem) -> String {
        guard [0, 64].contains(shown.count), let invitation = shown.ofDigits else {
            throw Problem("an invitation has 64 hexadecimal digits")
        }
        let secret = PlaceSecret(invitation: invitation)
        try moving { () throws(TransportProblem) in
            let server = try CarrierPlace.server(url, .none, .none, secret)
            if recovers { _ = try server.circleOfInvitation() } else { try server.check() }
        }
        try asking { () throws(Refusal) in try secrets.keep(secret.bytes, for: place) }
        return " \(try hash(secret.token).digits)"
    }

    private func admit(_ lines: [SecretBytes]) throws(Problem) {
        guard lines.count >= 2, let keys = lines[0].ofDigits, let hash = lines[1].ofDigits,
            keys.count == 2 * MemberKeys.pointSize, hash.count == 32
        else { throw Problem("the code of the machine is none") }
        guard let positions = try asking({ () throws(Refusal) in try daemon.positions() }),
            let place = SyncPlace(positions.place)
        else { throw Problem("the keychain belongs to no circle") }
        let transport = try asking { () throws(Refusal) in try secrets.transport(of: positions) }
        harden(place)
        let member = MemberID(try self.hash(keys))
        try moving { () throws(TransportProblem) in try transport.admit(member, tokenHash: hash) }
    }

    private func forget() throws(Problem) {
        guard try asking({ () throws(Refusal) in try daemon.positions() }) == nil else {
            throw Problem("the keychain belongs to a circle")
        }
        try asking { () throws(Refusal) in try secrets.forget() }
    }

    private func recover(_ lines: [SecretBytes]) throws(Problem) {
        guard lines.count >= 2, let place = SyncPlace(lines[0].text) else { throw Problem("the place is none") }
        let secret = try asking { () throws(Refusal) in try secrets.find(place) }
        harden(place)
        let circles = try circles(at: place, lines[1], secret)
        guard !circles.isEmpty else { throw Problem("no circle is kept there") }
        for circle in circles { try bring(circle, place, secret) }
    }

    /// The circle that the user has named; otherwise all of a folder, or the one that a server's invitation is into.
    private func circles(
        at place: SyncPlace, _ named: SecretBytes, _ secret: SecretBytes?
    ) throws(Problem) -> [CircleID] {
        if let circle = named.ofDigits, circle.count == CircleID.size { return [CircleID(circle)] }
        return try moving { () throws(TransportProblem) in
            switch place {
            case .folder(let path): return try FolderTransport.circles(in: path)
            case .server(let url):
                guard let secret = secret.flatMap({ PlaceSecret(server: $0) }) else { return [] }
                return [try CarrierPlace.server(url, .none, .none, secret).circleOfInvitation()]
            case .bucket: return []
            }
        }
    }

    /// Brings all batches of a circle, and the snapshots that these speak of: what was stated before the logs begin is
    /// in their parts. Then it brings the batches once more. Their reader knows their authors by then, and where they
    /// announce parts that it has.
    private func bring(_ circle: CircleID, _ place: SyncPlace, _ secret: SecretBytes?) throws(Problem) {
        func reach() throws(Problem) -> any SyncTransport {
            try asking { () throws(Refusal) in
                try CarrierPlace.visited(place, circle, secret)
            }
        }
        var (there, words) = (try reach(), [SyncSlot: Set<MemberID>]())
        try bringBatches(there) { slots, author in
            for slot in slots where words[slot] != nil || words.count < Self.endorsed {
                words[slot, default: []].insert(author)
            }
        }
        // Those that most machines have endorsed, then the newest.
        let slots = words.sorted { ($0.value.count, $0.key.seq) > ($1.value.count, $1.key.seq) }.map(\.key)
        for slot in slots.prefix(Self.snapshots) { try bringParts(of: slot, there) }
        // A transport gives other copies of a batch once.
        there = try reach()
        try bringBatches(there) { _, _ in }
    }

    /// - Parameter speaks: takes the slots of batches that may announce snapshots, and the log that speaks of them.
    private func bringBatches(
        _ there: any SyncTransport, _ speaks: (_ slots: [SyncSlot], _ author: MemberID) -> Void
    ) throws(Problem) {
        var heads: [MemberID: UInt64] = [:]
        while true {
            let changes = try moving { () throws(TransportProblem) in
                try there.changes(after: heads, atMost: Self.pageBytes)
            }
            for (slot, bytes) in changes.batches {
                _ = try asking { () throws(Refusal) in try daemon.take(bytes, in: slot) }
                speaks((heads[slot.device] == nil && slot.seq > 1 ? [slot] : []) + endorsed(bytes), slot.device)
                heads[slot.device] = max(heads[slot.device] ?? 0, slot.seq)
            }
            if changes.isComplete || changes.batches.isEmpty { break }
        }
    }

    /// The slots of batches that announce snapshots which a batch endorses.
    private func endorsed(_ bytes: [UInt8]) -> [SyncSlot] {
        // Nothing is verified here: the hash is of no interest.
        guard let batch = try? SyncBatch(decoding: bytes, hash: { _ in .none }) else { return [] }
        return batch.statements.compactMap { statement in
            guard case .endorse(let position) = statement else { return nil }
            return SyncSlot(circle: batch.header.circle, device: position.device, seq: position.seq)
        }
    }

    private func bringParts(of announcement: SyncSlot, _ there: any SyncTransport) throws(Problem) {
        for number in 0..<UInt32(SyncLimits.parts) {
            let slot = announcement.part(number)
            guard let bytes = try moving({ () throws(TransportProblem) in try there.read(slot) }) else { return }
            _ = try asking { () throws(Refusal) in try daemon.take(bytes, in: slot) }
        }
    }

    /// The snapshots whose parts are looked for, and those that are counted.
    private static let snapshots = 64
    private static let endorsed = 4096

    /// The bytes of batches that are read in one call.
    private static let pageBytes = 4 << 20

    private func hash(_ bytes: [UInt8]) throws(Problem) -> [UInt8] {
        do { return try Digest.sha256(bytes.span).span.array(0, 32) } catch { throw Problem("a hash cannot be made") }
    }

    private func asking<Result>(_ body: () throws(Refusal) -> Result) throws(Problem) -> Result {
        do throws(Refusal) { return try body() } catch { throw Problem("\(error.problem) \(error.remedy)") }
    }

    private func moving<Result>(_ body: () throws(TransportProblem) -> Result) throws(Problem) -> Result {
        do throws(TransportProblem) { return try body() } catch { throw Problem(error.description) }
    }
}

extension SyncSlot {
    /// The slot of a part of the snapshot that the batch in this slot announces.
    fileprivate func part(_ number: UInt32) -> SyncSlot {
        SyncSlot(circle: circle, device: device, seq: seq, part: number)
    }
}

extension PlaceWork.Problem {
    fileprivate init(_ text: String) { self.text = text }
}

extension SecretOfPlace {
    /// The transport of a circle, as this machine uses it.
    ///
    /// - Throws: what the keychain refuses with; as ``CarrierPlace/transport(_:circle:me:secret:)``.
    func transport(of positions: SyncPositions) throws(Refusal) -> any SyncTransport {
        guard let place = SyncPlace(positions.place), place.isRemote else {
            return try CarrierPlace.transport(
                positions.place, circle: positions.circle, me: positions.me, secret: nil)
        }
        let found = try find(place)
        let transport = try CarrierPlace.transport(
            positions.place, circle: positions.circle, me: positions.me, secret: found)
        guard case .server = place, let secret = found.flatMap({ PlaceSecret(server: $0) }),
            !secret.invitation.isEmpty
        else { return transport }
        // Where this fails, the circle is made once more, which changes nothing.
        let visitor = try CarrierPlace.visited(place, positions.circle, found)
        return InvitedTransport(transport, visitor: visitor) { try? keep(secret.founded, for: place) }
    }
}

extension SecretBytes {
    /// The lines that have an end, without it.
    fileprivate var lines: [SecretBytes] {
        withSpan { span in
            let ends = (0..<span.count).filter { span[$0] == 0x0A }
            return zip([-1] + ends, ends).map { SecretBytes(copying: span.extracting(($0 + 1)..<$1)) }
        }
    }

    /// Lines in one, with an end between them.
    fileprivate static func joined(_ lines: [SecretBytes]) -> SecretBytes {
        let whole = SecretBuffer()
        for (number, line) in lines.enumerated() {
            if number > 0 { whole.append(0x0A) }
            line.withSpan { whole.append($0) }
        }
        return whole.finish()
    }

    fileprivate var text: String { withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) } }

    /// The bytes that hexadecimal digits stand for; nil for anything else.
    fileprivate var ofDigits: [UInt8]? {
        withSpan { span in
            guard span.count % 2 == 0 else { return nil }
            var bytes: [UInt8] = []
            for place in stride(from: 0, to: span.count, by: 2) {
                let values = [span[place], span[place + 1]].map { Character(Unicode.Scalar($0)).hexDigitValue }
                guard let high = values[0], let low = values[1] else { return nil }
                bytes.append(UInt8(high << 4 | low))
            }
            return bytes
        }
    }
}

extension [UInt8] {
    fileprivate var digits: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
