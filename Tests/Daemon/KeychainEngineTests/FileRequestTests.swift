import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Keys of protected files: shelves are made on demand, kept apart from items, and open for their group alone.
@Suite("Requests for the keys of files")
struct FileRequestTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private let file = FileID()

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private func place(
        _ protection: FileProtection = .complete, group: String = "", control: UInt64 = 0, name: String = ""
    ) -> ShelfPlace {
        let binding = KeyBinding(group: group, accessibility: protection.accessibilities[0], control: control)
        return ShelfPlace(protection, binding, name: name)
    }

    private func make(_ place: ShelfPlace, as groups: [String] = ["test"]) throws(Refusal) -> MadeFileKey {
        guard case .file(.made(let made)) = try engine.key(.file(.make(file, place)), as: groups) else {
            throw .malformed("the reply")
        }
        return made
    }

    private func open(
        _ slot: FileSlot, _ protection: FileProtection = .complete, as groups: [String] = ["test"]
    ) throws(Refusal) -> SecretBytes {
        let claim = FileKeyClaim(file: file, protection: protection, slot: slot)
        guard case .file(.key(let key)) = try engine.key(.file(.open(claim)), as: groups) else {
            throw .malformed("the reply")
        }
        return key
    }

    @Test("A passcode is not removed with files that only it opens, unless their loss is meant")
    func passcodeShelf() throws {
        try engine.device(.setPasscode, "1")
        let binding = KeyBinding(group: "", accessibility: .whenPasscodeSetThisDeviceOnly, control: 0)
        let lost = try make(ShelfPlace(.complete, binding, name: "lost"))
        let kept = try make(place())
        #expect(refusal { try engine.device(.removePasscode, "1") }?.rule == .losesFiles)
        #expect(try open(lost.slot).isEqual(to: lost.key))
        #expect(refusal { try engine.device(.removePasscodeAndFiles, "2") }?.status == .authFailed)
        #expect(try open(lost.slot).isEqual(to: lost.key))
        try engine.device(.removePasscodeAndFiles, "1")
        #expect(refusal { _ = try open(lost.slot) }?.rule == .noShelf)
        #expect(try open(kept.slot).isEqual(to: kept.key))
        #expect(try shelves().count == 1)
        // Nothing of it comes back with another passcode.
        try engine.device(.setPasscode, "1")
        #expect(refusal { _ = try open(lost.slot) }?.rule == .noShelf)
        try engine.device(.removePasscode, "1")
    }

    private func shelves(as groups: [String] = ["test"], after: ShelfID? = nil) throws(Refusal) -> [ShelfDescription] {
        guard case .file(.shelves(let found)) = try engine.key(.file(.shelves(after: after)), as: groups) else {
            throw .malformed("the reply")
        }
        return found
    }

    @Test(
        "A key that was made comes out again, also of an engine that is started later",
        arguments: FileProtection.allCases)
    func roundTrip(protection: FileProtection) throws {
        let made = try make(place(protection))
        #expect(try open(made.slot, protection).isEqual(to: made.key))
        let later = try TestEngine(in: directory)
        let claim = FileKeyClaim(file: file, protection: protection, slot: made.slot)
        guard case .file(.key(let key)) = try later.key(.file(.open(claim))) else { throw Refusal.malformed("it") }
        #expect(key.isEqual(to: made.key))
    }

    @Test("One shelf takes the files of a group, a class and a name, and another those of another")
    func places() throws {
        let first = try make(place()).slot.shelf
        #expect(try make(place()).slot.shelf == first)
        #expect(try make(place(group: "test")).slot.shelf == first)
        let others = [place(.none), place(name: "invoices"), place(.completeUnlessOpen), place(group: "second")]
        let found = try others.map { try make($0, as: ["test", "second"]).slot.shelf }
        #expect(Set(found + [first]).count == 5)
        #expect(try make(place(name: "invoices")).slot.shelf == found[1])
    }

    @Test("The group decides: another program's file does not open, nor is its shelf shown or deleted")
    func groups() throws {
        let made = try make(place())
        for groups in [["other"], []] as [[String]] {
            #expect(refusal { _ = try open(made.slot, as: groups) }?.status == .missingEntitlement)
            #expect(refusal { _ = try make(place(group: "test"), as: groups) }?.status == .missingEntitlement)
            #expect(try shelves(as: groups).isEmpty)
            let deletion = KeyRequest.file(.deleteShelf(made.slot.shelf))
            #expect(refusal { _ = try engine.key(deletion, as: groups) }?.status == .missingEntitlement)
        }
        #expect(try open(made.slot, as: ["other", "test"]).isEqual(to: made.key))
        let shown = try shelves()
        #expect(shown.map(\.id) == [made.slot.shelf] && shown[0].place.binding.group == "test")
        #expect(try shelves(after: shown[0].id).isEmpty)
    }

    @Test("A header that names another class, or a shelf that is not there, is refused, each by its rule")
    func claims() throws {
        let made = try make(place())
        #expect(refusal { _ = try open(made.slot, .none) }?.rule == .damagedFile)
        let lost = FileSlot(kind: made.slot.kind, shelf: ShelfID(), wrapped: made.slot.wrapped)
        let refused = refusal { _ = try open(lost) }
        #expect(refused?.status == .itemNotFound && refused?.rule == .noShelf)
    }

    @Test("A file whose shelf was deleted does not open again, and the next one has a new shelf")
    func deletion() throws {
        let made = try make(place())
        _ = try engine.key(.file(.deleteShelf(made.slot.shelf)))
        #expect(refusal { _ = try open(made.slot) }?.rule == .noShelf)
        #expect(try shelves().isEmpty)
        #expect(try make(place()).slot.shelf != made.slot.shelf)
    }

    @Test("Programs that delete all their items keep their files")
    func deletedItems() throws {
        let made = try make(place())
        for itemClass in ItemClass.stored {
            var builder = ItemRequestBuilder(.delete)
            try builder.set("class", .string(itemClass.code))
            _ = try? engine.write(try builder.build())
        }
        #expect(try open(made.slot).isEqual(to: made.key))
    }

    @Test("A shelf wraps the key of a file that another one has wrapped")
    func rewrapping() throws {
        let made = try make(place(.none))
        let claim = FileKeyClaim(file: file, protection: .none, slot: made.slot)
        guard case .file(.slot(let slot)) = try engine.key(.file(.rewrap(claim, to: place()))) else {
            throw Refusal.malformed("the reply")
        }
        #expect(try open(slot).isEqual(to: made.key))
        let foreign = KeyRequest.file(.rewrap(claim, to: place(group: "second")))
        #expect(refusal { _ = try engine.key(foreign) }?.status == .missingEntitlement)
    }

    @Test("A shelf for anchored programs opens for them alone")
    func anchored() throws {
        let place = place(group: "test", control: 1 << 48)
        let firm = CallerIdentity(user: 0, process: 2, program: "firm", isAnchored: true, groups: ["test"])
        let request = KeyRequest.file(.make(file, place))
        #expect(refusal { _ = try engine.key(request) }?.rule == .notAnchored)
        guard case .file(.made(let made)) = try engine.key(request, from: firm) else { throw Refusal.malformed("it") }
        #expect(refusal { _ = try open(made.slot) }?.rule == .notAnchored)
        #expect(try shelves().isEmpty)
    }

    @Test("A program has so many shelves and no more, and goes on with those that it has")
    func quota() throws {
        let made = try make(place(name: "mine"))
        // Each counts by its row.
        let last = ShelfLimits.ofProgram - 1
        let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(last)) "
        try engine.tamper(
            rows + "INSERT INTO shelf SELECT CAST(printf('%08d', i) AS BLOB), x'01', ownr, 0, x'' FROM n, shelf")
        #expect(refusal { _ = try make(place(name: "another")) }?.rule == .quota)
        #expect(try make(place(name: "mine")).slot.shelf == made.slot.shelf)
        try engine.tamper("DELETE FROM shelf WHERE id = CAST('00000001' AS BLOB)")
        let another = try make(place(name: "another"))
        #expect(try open(another.slot).isEqual(to: another.key))
    }

    @Test("A keychain with as many shelves as there may be makes no more, whichever program asks")
    func limit() throws {
        let made = try make(place(name: "mine"))
        let last = ShelfLimits.all - 1
        let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(last)) "
        try engine.tamper(
            rows + "INSERT INTO shelf SELECT CAST(printf('%08d', i) AS BLOB), x'01', x'', 0, x'' FROM n")
        #expect(refusal { _ = try make(place(name: "another")) }?.rule == .quota)
        #expect(try make(place(name: "mine")).slot.shelf == made.slot.shelf)
        // One that came from another machine takes no room.
        try engine.tamper("UPDATE shelf SET place = x'' WHERE id = CAST('00000001' AS BLOB)")
        let another = try make(place(name: "another"))
        #expect(try open(another.slot).isEqual(to: another.key))
    }

    @Test("Records that somebody changed or exchanged in the store open no file")
    func tampering() throws {
        let (one, other) = (try make(place()), try make(place(name: "other")))
        try engine.tamper("UPDATE shelf SET sealed = (SELECT max(sealed) FROM shelf)")
        let refusals = [one, other].map { made in refusal { _ = try open(made.slot) } }
        #expect(refusals.filter { $0?.rule == .damaged }.count == 1)
        // Nor does a new file get a key of the shelf whose record is another's now: it gets another shelf.
        let changed = refusals[0] == nil ? place(name: "other") : place()
        let next = try make(changed)
        #expect(![one, other].map(\.slot.shelf).contains(next.slot.shelf))
        #expect(try open(next.slot).isEqual(to: next.key))
    }

    /// The findings of the last page of a verification.
    private func findings() throws -> String {
        let (request, writer) = (DeviceRequest.verify(from: VerificationCursor(nil, after: 0)), ResponseWriter())
        engine.engine.device(request, passcodes: [], from: TestEngine.caller, id: 1, by: .never, into: writer)
        let answer = writer.complete()
        guard answer.status == 0 else { throw Refusal(decoding: answer.body, status: answer.status) }
        var reader = WireReader(answer.body)
        _ = try reader.notice()
        return try VerificationPage(from: &reader).report.file
    }

    @Test("A verification counts the shelves that do not open, and no locked or guarded one")
    func verification() throws {
        for number in 0..<70 { _ = try make(place(number % 2 == 0 ? .completeUnlessOpen : .none, name: "\(number)")) }
        try engine.device(.setPasscode, "pw")
        let presence = AccessConstraint.Demand.userPresence.rawValue
        let asking = try make(place(.completeUnlessOpen, control: presence)).slot.shelf
        #expect(try findings().isEmpty)
        try engine.device(.lock)
        #expect(try findings().isEmpty)
        try engine.device(.unlock, "pw")
        let changed = try shelves().map(\.id).filter { $0 != asking }.suffix(2)
        for id in changed {
            let digits = id.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            try engine.tamper("UPDATE shelf SET sealed = zeroblob(length(sealed)) WHERE id = x'\(digits)'")
        }
        #expect(try findings() == "2 shelves of protected files do not open")
    }

    @Test("Each request stands in the log of decisions, with its group where it was refused")
    func decisions() throws {
        let made = try make(place())
        _ = refusal { _ = try open(made.slot, as: ["other"]) }
        let entries = engine.engine.decisions.page(after: 0, for: engine.caller(["test"])).entries
        #expect(entries.map(\.operation) == ["make file", "open file"])
        #expect(entries.last?.status == KeychainStatus.missingEntitlement.rawValue)
    }
}
