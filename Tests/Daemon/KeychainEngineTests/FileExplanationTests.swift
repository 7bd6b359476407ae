import FileFormat
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("Why a protected file does not open")
struct FileExplanationTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let inspector = CallerIdentity(
        user: 1000, process: 9, program: "/usr/bin/security", groups: ["s"], mayInspectAllGroups: true)
    private static let other = CallerIdentity(user: 1000, process: 2, program: "/bin/other", groups: ["other"])

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    /// A file with content, and its shelf.
    private func file(
        _ protection: FileProtection = .complete, control: UInt64 = 0, name: String = ""
    ) throws -> (bytes: [UInt8], shelf: ShelfID) {
        let binding = KeyBinding(group: "test", accessibility: protection.accessibilities[0], control: control)
        let (id, place) = (FileID(), ShelfPlace(protection, binding, name: name))
        let request = KeyRequest.file(.make(id, place))
        let anchored = CallerIdentity(user: 1000, process: 3, program: "/bin/firm", isAnchored: true, groups: ["test"])
        guard case .file(.made(let made)) = try engine.key(request, from: anchored) else {
            throw Refusal.malformed("the reply")
        }
        let header = try FileHeader(protection: protection, file: id, slots: [made.slot])
        let writer = try SealedFileWriter(header, fileKey: made.key)
        var bytes = writer.preamble
        try writer.write(Array("content".utf8).span, into: &bytes)
        try writer.finish(into: &bytes)
        return (bytes, made.slot.shelf)
    }

    private func why(
        _ bytes: [UInt8], for program: String = "", as caller: CallerIdentity = TestEngine.caller
    ) throws(Refusal) -> FileExplanation {
        let asked = FileToExplain(size: UInt64(bytes.count), head: Array(bytes.prefix(FileToExplain.headBytes)))
        guard case .fileExplanation(let found) = try engine.access(.whyFile(program: program, asked), from: caller)
        else { throw Refusal.malformed("the explanation") }
        return found
    }

    @Test("Nothing keeps a program's own file closed, and its shelf is shown", arguments: FileProtection.allCases)
    func open(protection: FileProtection) throws {
        let (bytes, shelf) = try file(protection, name: "letters")
        let found = try why(bytes)
        #expect(found.refusal == nil && found.program == "test" && found.groups == ["test"])
        #expect(found.claim == .init(protection, shelf))
        #expect(found.shelf?.id == shelf && found.shelf?.place.name == "letters")
    }

    @Test("Another program is told that the group is not its own, and not which shelf it is")
    func groups() throws {
        let (bytes, shelf) = try file()
        let found = try why(bytes, as: Self.other)
        #expect(found.refusal?.status == .missingEntitlement && found.shelf == nil)
        #expect(found.claim?.shelf == shelf)
    }

    @Test("The inspecting command asks for other programs, and nobody else does")
    func others() throws {
        let (bytes, shelf) = try file()
        let found = try why(bytes, for: "/bin/unseen", as: Self.inspector)
        #expect(found.refusal?.status == .missingEntitlement && found.program == "/bin/unseen")
        #expect(found.shelf?.id == shelf && found.shelf?.place.binding.group == "test")
        _ = try why(bytes)
        #expect(try why(bytes, for: "test", as: Self.inspector).refusal == nil)
        #expect(refusal { _ = try why(bytes, for: "test", as: Self.other) } != nil)
    }

    @Test("A deleted shelf, a locked class and a file that asks its user are told by their rules")
    func states() throws {
        try engine.device(.setPasscode, "pw")
        let (guarded, _) = try file(.completeUnlessOpen, control: AccessConstraint.Demand.userPresence.rawValue)
        #expect(try why(guarded).refusal?.status == .authNeeded)
        #expect(engine.agent.questions.isEmpty)
        let (bytes, shelf) = try file()
        _ = try engine.key(.file(.deleteShelf(shelf)))
        #expect(try why(bytes).refusal?.rule == .noShelf)
        let (locked, _) = try file(name: "locked")
        try engine.device(.lock)
        let found = try why(locked)
        #expect(found.refusal?.rule == .locked && found.shelf?.place.name == "locked")
    }

    @Test("The shelf of anchored programs is not shown to the inspecting command")
    func anchored() throws {
        let (bytes, _) = try file(control: 1 << 48)
        #expect(try why(bytes).refusal?.rule == .notAnchored)
        let found = try why(bytes, as: Self.inspector)
        #expect(found.shelf == nil && found.refusal?.status == .missingEntitlement)
    }

    @Test("A store that cannot be read gives its reason, and a damaged record is not called a shelf that is not there")
    func store() throws {
        let (bytes, shelf) = try file(name: "letters")
        try engine.tamper("UPDATE shelf SET sealed = zeroblob(length(sealed))")
        let found = try why(bytes)
        #expect(found.refusal?.rule == .damaged && found.refusal?.subject == "shelf")
        #expect(found.shelf == nil && found.claim?.shelf == shelf)
        try engine.tamper("ALTER TABLE shelf RENAME TO lost")
        let refused = refusal { _ = try why(bytes) }
        #expect(refused != nil && refused?.rule != .noShelf)
    }

    @Test("A changed header, a cut file and one that is not protected are told apart")
    func damage() throws {
        let (bytes, _) = try file()
        for place in [20, 90, 4070] {
            var changed = bytes
            for copy in [0, 4096] { changed[copy + place] ^= 1 }
            #expect(try why(changed).refusal?.rule == .damagedFile, "byte \(place)")
            changed[4096 + place] ^= 1
            #expect(try why(changed).refusal == nil, "one copy is spare: byte \(place)")
        }
        for count in [8, 4096, 8191, 8192, 8200] {
            #expect(try why(Array(bytes.prefix(count))).refusal?.rule == .damagedFile, "\(count) bytes")
        }
        var later = bytes
        for copy in [0, 4096] { later[copy + 8] = 9 }
        #expect(try why(later).refusal?.rule == .unsupportedFile)
        let plain = try why(Array("plain".utf8))
        #expect(plain.refusal?.rule == .notProtected && plain.claim == nil)
    }
}
