import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Access messages on the wire")
struct AccessMessageTests {
    private static func bytes(_ write: (SecretBuffer) -> Void) -> SecretBytes {
        let buffer = SecretBuffer()
        write(buffer)
        return buffer.copy()
    }

    // Made for each use: in a global, the array inside a case would be taken for a leak (Tests/Support/leaks.supp).
    static var requests: [AccessRequest] {
        [
            .decisions(after: .max), .why(program: "", query: []), .why(program: "/bin/ä", query: [1, 2, 3]),
            .move(GroupMove(from: "a", to: "b")),
            .move(GroupMove(from: "a", to: "b", itemClass: .key, isRename: true, statement: [9])), .orphans,
            .setPolicy(.purge, group: "a"), .uninstalled([]), .uninstalled(["/bin/a", "/bin/b"]),
            .work(ProgramWork("program:/bin/a", [])), .work(ProgramWork("program:/bin/a", [ItemRequest(.add)])),
            .keepRows([]), .keepRows([ListedRow(keychain: "k", reference: [1, 2], changed: 1.5)]), .row(3),
            .others, .changes(after: .max), .use, .whyFile(program: "", FileToExplain(size: 0, head: [])),
            .whyFile(program: "/bin/ä", FileToExplain(size: .max, head: [1, 2, 3])),
        ]
    }

    @Test("Every request is read as it was written, and a part of it is refused", arguments: requests)
    func request(_ request: AccessRequest) throws {
        let whole = Self.bytes { DeviceRequest.access(request).append(to: $0) }
        #expect(try DeviceRequest(decoding: whole) == .access(request))
        for count in 0..<whole.count {
            let part = whole.withSpan { SecretBytes(copying: $0.extracting(..<count)) }
            #expect(failure { () throws(Refusal) in try DeviceRequest(decoding: part) }?.rule == .malformedFrame)
        }
    }

    @Test("Too many programs, too long a name or statement, and unknown codes are refused")
    func limits() throws {
        let long = String(repeating: "x", count: WireLimits.nameBytes + 1)
        let many = Array(repeating: "/a", count: AccessRequest.mostPrograms + 1)
        let statement = [UInt8](repeating: 0, count: GroupMove.statementBytes + 1)
        let tooMuch = [UInt8](repeating: 0, count: FileToExplain.headBytes + 1)
        for request in [
            AccessRequest.uninstalled(many), .setPolicy(.keep, group: long), .why(program: long, query: []),
            .move(GroupMove(from: "a", to: "b", statement: statement)),
            .whyFile(program: long, FileToExplain(size: 0, head: [])),
            .whyFile(program: "", FileToExplain(size: 0, head: tooMuch)),
        ] {
            let bytes = Self.bytes { DeviceRequest.access(request).append(to: $0) }
            #expect(failure { () throws(Refusal) in try DeviceRequest(decoding: bytes) }?.rule == .malformedFrame)
        }
        for body: [UInt8] in [[16], [16, 0], [16, 7], [16, 9], [16, 5, 2, 1, 0, 0, 0, 97], [16, 4, 0]] {
            let bytes = SecretBytes(copying: body.span)
            #expect(failure { () throws(Refusal) in try DeviceRequest(decoding: bytes) }?.rule == .malformedFrame)
        }
    }

    @Test("Only what a passcode can allow takes one")
    func descriptors() {
        for request in Self.requests {
            let may =
                switch request {
                case .move, .setPolicy, .work: true
                default: false
                }
            #expect(DeviceRequest.access(request).descriptors == (may ? 0...1 : 0...0))
        }
    }

    private static let entry = DecisionEntry(
        number: 7, time: 1.5, process: 2, user: 3, program: "/bin/a", provenance: "unsigned", isAnchored: true,
        operation: "SecItemAdd", itemClass: .key, groups: ["a", "b"], status: -34018, rule: "access.x")

    private static let explanation: Explanation = {
        let refusal = Refusal(.itemNotFound, .notFound, "genp", "Nothing.", do: "Look.")
        let list = SecretBuffer()
        list.append(.account, .string("a"))
        let attributes = (try? AttributeList(parsing: list.finish())) ?? .empty
        return Explanation(
            refusal: refusal, program: "/bin/a", groups: ["g"], looked: 3, omitted: 1,
            candidates: [
                .init(
                    itemClass: .certificate, verdict: .afterAuthentication,
                    exclusions: [.init(.needsUser, "accc"), .init(.beyondLimit)], isShown: true,
                    attributes: attributes),
                .init(itemClass: .key, verdict: .found, exclusions: [], isShown: false, attributes: .empty),
            ])
    }()

    private static let explanations: [FileExplanation] = {
        var whole = FileExplanation(program: "/bin/a", groups: ["g", "h"])
        whole.refusal = Refusal(.interactionNotAllowed, .locked, "ak", "Closed.", do: "Unlock.")
        whole.claim = .init(.complete, ShelfID())
        let binding = KeyBinding(group: "g", accessibility: .whenUnlocked, control: 0)
        whole.shelf = ShelfDescription(id: ShelfID(), place: ShelfPlace(.complete, binding, name: "ä"), made: 7)
        return [whole, FileExplanation(program: "", groups: [])]
    }()

    private static let report: MoveReport = {
        var report = MoveReport()
        (report.moved, report.damaged) = (1, 2)
        for index in 0..<(MoveReport.mostConflicts + 5) {
            report.note(.init(itemClass: .genericPassword, rule: .duplicate, name: "\(index)"))
        }
        return report
    }()

    static let replies: [(AccessRequest, AccessReply)] = [
        (.decisions(after: 0), .decisions(DecisionPage(entries: [entry, entry], next: 9, lost: 4))),
        (.why(program: "", query: []), .explanation(explanation)),
        (.whyFile(program: "", FileToExplain(size: 0, head: [])), .fileExplanation(explanations[0])),
        (.whyFile(program: "", FileToExplain(size: 0, head: [])), .fileExplanation(explanations[1])),
        (.move(GroupMove(from: "", to: "")), .moved(report)),
        (
            .orphans,
            .orphans([OrphanGroup(group: "g", policy: .purge, items: 4, lastSeen: 9000, programs: ["/bin/a"])])
        ),
        (.setPolicy(.keep, group: "g"), .done), (.uninstalled([]), .purged(5)),
        (
            .work(ProgramWork("g", [])),
            .worked([ProgramAnswer((status: -25300, body: SecretBytes(copying: [1, 2].span)))])
        ),
        (.keepRows([]), .done), (.row(1), .row(ListedRow(keychain: "", reference: [7], changed: 0.25))),
        (.others, .others(true)), (.others, .others(false)), (.use, .used(true)),
        (.changes(after: 1), .changes(ChangePage(next: 8, state: .shared))),
        (
            .changes(after: 1),
            .changes(ChangePage(next: 9, items: [PersistentReference(.key, uuid: Array(0..<16))]))
        ),
    ]

    @Test("Every reply is read as it was written", arguments: replies.indices)
    func reply(_ index: Int) throws {
        let (request, reply) = Self.replies[index]
        var reader = WireReader(Self.bytes { reply.append(to: $0) })
        #expect(try AccessReply(to: request, from: &reader) == reply)
        #expect(reader.isAtEnd)
    }

    @Test("A move tells of a bounded number of conflicts, and counts all")
    func conflicts() {
        #expect(Self.report.conflicts.count == MoveReport.mostConflicts)
        #expect(Self.report.conflictCount == UInt64(MoveReport.mostConflicts + 5))
    }
}
