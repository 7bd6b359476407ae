import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@Suite("Messages about a circle of machines")
struct SyncMessageTests {
    private static let circle = CircleID([1, 2])
    private static let me = MemberID([3])
    private static let keys = MemberKeys(
        signing: [4] + [UInt8](repeating: 7, count: 64), agreement: [4] + [UInt8](repeating: 8, count: 64))
    private static let slot = SyncSlot(circle: circle, device: me, seq: 7)
    private static let part = SyncSlot(circle: circle, device: me, seq: 7, part: 3)

    private static let view: SyncView = {
        var view = SyncView()
        (view.ends, view.problem) = ([me: 7, MemberID([9]): 1 << 61], "the server says “no”")
        view.unreadable = [slot, part]
        return view
    }()

    private static let requests: [SyncRequest] = [
        .status, .pause(true), .pause(false), .now, .positions, .take(slot), .take(part), .seen(view),
        .seen(SyncView()), .next, .committed(slot, isOccupied: true), .committed(part, isOccupied: false),
        .wait(number: .max, milliseconds: 5), .invite, .seek(place: "/mnt", name: "Büro"), .pairing(.none),
        .recover(place: "/mnt", name: "Büro"), .discarded([slot, part]),
        .known([MemberID([1]), me]), .known([]),
        .pairing(.shows([])), .pairing(.shows([[1, 2], []])), .pairing(.fails("no folder")),
    ]

    private static let pairing = SyncPairing(
        .newcomer, place: "/mnt", session: PairingID([5]), messages: [[1], [UInt8](repeating: 2, count: 16 << 10)])

    private static let changes: [CircleChange] = [
        .begin(place: "folder:/mnt/stick", name: "laptop"), .join(circle, place: "/mnt", name: "Büro"),
        .add(keys, name: "desk"), .remove(me, keeping: [MemberID([1]), MemberID([2])]), .remove(me, keeping: []),
        .leave, .pair, .recoveryKey, .recover, .reset(place: "/mnt", name: "Büro"),
    ]

    private static let status: SyncStatus = {
        var status = SyncStatus(circle: circle, me: me, keys: keys, place: "folder:/mnt")
        (status.isPaused, status.standing, status.problem) = (true, .isDoubled, "no folder")
        (status.looked, status.committed, status.unsent, status.future, status.held) = (5, -6, 7, 8, 9)
        (status.unopened, status.items) = (10, 11)
        var machine = SyncStatus.Machine(id: me, name: "laptop")
        (machine.flags, machine.seq, machine.heard) = ([.isRemoved, .hasNotHeard, .isNew], 3, 4)
        machine.quarantined = 5
        status.machines = [machine, SyncStatus.Machine(id: MemberID([9]), name: "")]
        return status
    }()

    private static let positions: SyncPositions = {
        var positions = SyncPositions(number: 5, circle: circle, me: me, place: "/mnt")
        (positions.isWanted, positions.heads) = (true, [me: 1, MemberID([1]): 0])
        (positions.wanted, positions.discarding) = ([part], [slot, part])
        (positions.removed, positions.cut) = ([MemberID([1]), MemberID([2])], [MemberID([3])])
        positions.members = [me]
        return positions
    }()

    private static let replies: [(request: SyncRequest, reply: SyncReply)] =
        SyncVerdict.allCases.map { (.take(slot), .taken($0)) } + [
            (.status, .status(nil)), (.status, .status(status)), (.positions, .positions(positions)),
            (.next, .next(nil)), (.next, .next(SyncSending(slot: part, size: 4 << 20))),
            (.wait(number: 1, milliseconds: 1), .news(number: 9)), (.now, .done),
            (.pairing(.none), .pairing(nil)), (.pairing(.none), .pairing(pairing)), (.invite, .done),
        ]

    private static func bytes(_ write: (SecretBuffer) -> Void) -> [UInt8] {
        let buffer = SecretBuffer()
        write(buffer)
        return buffer.copy().withSpan { $0.array(0, $0.count) }
    }

    private static func read(_ bytes: [UInt8]) -> DeviceRequest? {
        try? DeviceRequest(decoding: SecretBytes(copying: bytes.span))
    }

    @Test("Every request is read as it was written, and one that is cut off or longer is refused")
    func requests() {
        for request in Self.requests {
            let bytes = Self.bytes { DeviceRequest.sync(request).append(to: $0) }
            #expect(Self.read(bytes) == .sync(request))
            for count in bytes.indices { #expect(Self.read(Array(bytes.prefix(count))) == nil) }
            #expect(Self.read(bytes + [0]) == nil)
        }
    }

    @Test("Every change is read as it was written, with its prompt, and one that is cut off or longer is refused")
    func changes() {
        for change in Self.changes {
            let prompt = Prompt(reason: "because")
            let bytes = Self.bytes { AuthenticationRequest.circle(change, prompt: prompt).append(to: $0) }
            func read(_ bytes: [UInt8]) -> AuthenticationRequest? {
                try? AuthenticationRequest(decoding: SecretBytes(copying: bytes.span))
            }
            guard case .circle(let found, let shown) = read(bytes) else {
                #expect(Bool(false), "\(change) was not read")
                continue
            }
            #expect(found == change && shown == prompt)
            for count in bytes.indices { #expect(read(Array(bytes.prefix(count))) == nil) }
            #expect(read(bytes + [0]) == nil)
        }
    }

    @Test("Every answer is read as it was written, and one that is cut off is refused")
    func replies() throws {
        for (request, reply) in Self.replies {
            let bytes = Self.bytes { reply.append(to: $0) }
            var reader = WireReader(SecretBytes(copying: bytes.span))
            #expect(try SyncReply(to: request, from: &reader) == reply)
            #expect(reader.isAtEnd)
            for count in bytes.indices {
                let cut = Array(bytes.prefix(count))
                var reader = WireReader(SecretBytes(copying: cut.span))
                #expect(
                    failure { () throws(Refusal) in try SyncReply(to: request, from: &reader) }?.rule
                        == .malformedFrame)
            }
        }
    }

    @Test("A status whose machine has a flag that nobody knows is refused")
    func unknownFlags() {
        var status = Self.status
        for (flag, isRead) in [(UInt16(512), true), (1024, false), (1 << 15, false)] {
            status.machines[0].flags = SyncStatus.Machine.Flags(rawValue: flag)
            let bytes = Self.bytes { SyncReply.status(status).append(to: $0) }
            var reader = WireReader(SecretBytes(copying: bytes.span))
            let found = failure { () throws(Refusal) in try SyncReply(to: .status, from: &reader) }
            #expect((found == nil) == isRead && found?.rule == (isRead ? nil : .malformedFrame))
        }
    }

    @Test("The answer to a change of the circle is its status, or none")
    func answers() throws {
        for reply in [nil, Self.status] {
            let body = Self.bytes { buffer in
                buffer.append(littleEndian: UInt32(0))
                SyncReply.status(reply).append(to: buffer)
            }
            let read = try AuthenticationReply(
                to: .circle(.leave, prompt: Prompt()), status: 0, body: SecretBytes(copying: body.span))
            guard case .circle(let found) = read else {
                #expect(Bool(false), "another answer was read")
                continue
            }
            #expect(found == reply)
        }
    }

    private static let broken: [[UInt8]] = [
        [2, 2], [8] + text(slot.text) + [2], [5] + text(slot.text.uppercased()), [5] + text("x"),
        [5] + text("../../log"), [0], [13], [12, 3], [12, 1, 65],
        [6, 2, 0, 0, 0] + end(2) + end(1) + [0, 0, 0, 0] + text(""),
        [6, 2, 0, 0, 0] + end(2) + end(2) + [0, 0, 0, 0] + text(""), [6, 0, 0, 0, 0, 1, 4, 0, 0], [6, 1, 16, 0, 0],
    ]

    @Test("A request with another spelling of a slot, another flag, or logs out of order is refused")
    func refused() {
        for bytes in Self.broken { #expect(Self.read([28] + bytes) == nil) }
        let right: [UInt8] = [28, 6, 2, 0, 0, 0] + Self.end(1) + Self.end(2) + [0, 0, 0, 0] + Self.text("")
        #expect(Self.read(right) != nil)
    }

    private static func text(_ text: String) -> [UInt8] {
        bytes { $0.append(text: text) }
    }

    private static func end(_ device: UInt8) -> [UInt8] { MemberID([device]).bytes + [1, 0, 0, 0, 0, 0, 0, 0] }

    @Test("A change with a name over 64 bytes, keys that are no points or members out of order is refused")
    func refusedChanges() {
        let point = [UInt8](repeating: 4, count: 65)
        let flat = MemberKeys(signing: [3] + point.dropFirst(), agreement: point)
        let long = String(repeating: "n", count: 65)
        for change in [CircleChange.add(flat, name: "n"), .begin(place: "p", name: long), .add(Self.keys, name: long)] {
            let body = Self.bytes { AuthenticationRequest.circle(change, prompt: Prompt()).append(to: $0) }
            #expect((try? AuthenticationRequest(decoding: SecretBytes(copying: body.span))) == nil)
        }
        var body = Self.bytes {
            AuthenticationRequest.circle(.remove(Self.me, keeping: [MemberID([1]), MemberID([2])]), prompt: Prompt())
                .append(to: $0)
        }
        body.swapAt(body.count - 32, body.count - 16)
        #expect((try? AuthenticationRequest(decoding: SecretBytes(copying: body.span))) == nil)
    }

    @Test("Long texts are cut to what a reader takes, and lists to their limits")
    func limits() throws {
        var view = SyncView()
        view.problem = String(repeating: "é", count: SyncView.problemBytes)
        view.unreadable = [SyncSlot](repeating: Self.slot, count: SyncView.mostSlots + 1)
        let bytes = Self.bytes { DeviceRequest.sync(.seen(view)).append(to: $0) }
        guard case .sync(.seen(let read)) = Self.read(bytes) else { return #expect(Bool(false), "it was not read") }
        #expect(read.problem.utf8.count == SyncView.problemBytes && read.unreadable.count == SyncView.mostSlots)
        #expect(bytes.count < WireLimits.requestBody)
    }
}
