import KeychainEngine
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

/// The engine keeps store and vault in step, and says when one of them was put back.
@Suite("The age of store and vault")
struct AgeKeeperTests {
    private let directory: TemporaryDirectory
    private let lines = Monitor<[String]>([])

    init() throws { directory = try TemporaryDirectory() }

    private func open(exclusive: Bool = false) throws -> TestEngine {
        let lines = lines
        return try TestEngine(in: directory, exclusive: exclusive) { line in lines.update { $0.append(line) } }
    }

    private func age(_ engine: TestEngine) throws -> KeychainAge { try engine.status().age }

    private func mark(_ column: String, _ engine: TestEngine) throws -> Int64? {
        try Database(path: "\(engine.folder)/keychain.db", sharing: .shared).integer(
            "SELECT \(column) FROM mark", "be read")
    }

    @Test(
        "A store whose mark goes back while an engine writes is reported until it is accepted, and logged once",
        arguments: ["UPDATE mark SET writes = writes - 1", "UPDATE mark SET writes = writes - 2", "DELETE FROM mark"])
    func wentBack(_ statement: String) throws {
        let engine = try open()
        for account in ["a", "b", "c"] { try engine.add(account, "1") }
        #expect(try age(engine) == .current)
        try engine.tamper(statement)
        try engine.add("d", "1")
        try engine.add("e", "1")
        #expect(try age(engine) == .olderStore)
        #expect(lines.update { $0.filter { $0.contains("accept-store") }.count } == 1)
        #expect(try engine.values().count == 5)
        _ = try engine.device(.acceptStore, "-")
        #expect(try age(engine) == .current)
        try engine.add("f", "1")
        #expect(try age(engine) == .current)
        #expect(try age(try open()) == .current)
    }

    @Test("A store whose log was damaged is served as it was then, and reported until it is accepted")
    func damagedLog() throws {
        let log = directory.path + "/keychain/keychain.db-wal"
        do {
            let engine = try open()
            for account in ["a", "b", "c", "d"] { try engine.add(account, "1") }
        }
        var bytes = try AtomicFile.read(log, limit: 1 << 24)
        // The last frame of a commit says how large the database is then.
        let commits = stride(from: 32, to: bytes.count, by: 24 + 4096).filter {
            bytes[$0 + 6] != 0 || bytes[$0 + 7] != 0
        }
        bytes[commits[commits.count - 3] + 2000] ^= 1
        try AtomicFile.replace(log, with: bytes.span)
        let engine = try open()
        #expect(try age(engine) == .olderStore)
        #expect(lines.update { $0.filter { $0.contains("keychain.db-wal.damaged") }.count } == 1)
        let left = try engine.values().count
        #expect((1...3).contains(left))
        try engine.add("e", "1")
        #expect(try age(try open()) == .olderStore)
        _ = try engine.device(.acceptStore, "-")
        #expect(try age(engine) == .current)
        #expect(try age(try open()) == .current)
        #expect(try engine.values().count == left + 1)
        #expect(try FileStatus(ofLink: log + ".damaged") == nil)
    }

    @Test("There is nothing to accept in a store that is current")
    func nothingToAccept() throws {
        let engine = try open()
        #expect(refusal { _ = try engine.device(.acceptStore, "-") }?.status == .param)
    }

    @Test(
        "A block begins after as many writes as it has, however they were counted, and its mark is in the store",
        arguments: ["UPDATE mark SET writes = 255", "UPDATE mark SET writes = -9000000000000000000"])
    func block(_ statement: String) throws {
        do { _ = try open() }
        let store = directory.path + "/keychain/keychain.db"
        try Database(path: store, sharing: .shared).execute(statement, "be damaged")
        let engine = try open()
        let before = try #require(try mark("block", engine))
        try engine.add("a", "1")
        #expect(try mark("block", engine) == before)
        engine.engine.checkpointIfDue()
        #expect(try mark("block", engine) == before + 1)
        #expect(try #require(try mark("writes", engine)) <= 1)
        engine.engine.checkpointIfDue()
        #expect(try mark("block", engine) == before + 1)
        #expect(try age(engine) == .current)
    }

    @Test("After an end in good order a store from before the last write is an older one", arguments: [true, false])
    func goodOrder(isExclusive: Bool) throws {
        let path = directory.path + "/keychain/keychain.db"
        do {
            let engine = try open(exclusive: isExclusive)
            try engine.add("a", "1")
            engine.engine.maintain()
        }
        do { try Database(path: path, sharing: .shared).snapshot(to: directory.file("old")) }
        do {
            let engine = try open(exclusive: isExclusive)
            try engine.add("b", "1")
            engine.engine.maintain()
        }
        for suffix in ["", "-wal", "-shm"] { try AtomicFile.remove(path + suffix) }
        let old = try AtomicFile.read(directory.file("old"), limit: 1 << 24)
        try AtomicFile.replace(path, with: old.span)
        let engine = try open(exclusive: isExclusive)
        #expect(try age(engine) == .olderStore)
        #expect(try engine.values() == ["a": "1"])
        #expect(try engine.device(.verify(from: VerificationCursor(nil, after: 0))).age == .olderStore)
    }

    @Test("A failed attempt is in the store when it is answered: the vault from before it opens nothing afterwards")
    func attempt() throws {
        let vault = directory.path + "/keychain/vault"
        let old: [UInt8]
        do {
            let engine = try open()
            try engine.add("a", "1")
            _ = try engine.device(.setPasscode, "right")
            old = try AtomicFile.read(vault, limit: 1 << 16)
            #expect(refusal { _ = try engine.device(.unlock, "wrong") }?.rule == .wrongPasscode)
        }
        try AtomicFile.replace(vault, with: old.span)
        let engine = try open()
        #expect(try age(engine) == .olderVault)
        #expect(lines.update { $0.contains { $0.contains("Put the newest vault back") } })
        for refused in [
            refusal { _ = try engine.device(.unlock, "right") }, refusal { try engine.add("b", "1") },
            refusal { _ = try engine.device(.acceptStore, "right") },
        ] { #expect(refused?.rule == .olderVault) }
        #expect(try AtomicFile.read(vault, limit: 1 << 16) == old)
    }

    @Test("Two engines that write into one store, and change the vault, never take it for an older one")
    func together() throws {
        let engines = [try open(), try open()]
        let failures = Monitor<[String]>([])
        let threads = try engines.enumerated().map { number, engine in
            try Thread(named: "writer") {
                do {
                    for step in 0..<300 {
                        // While the passcode changes under it, an add may find its class closed for a moment.
                        let refused = refusal {
                            try engine.add("\(number).\(step)", "1", more: ["pdmn": .string("dk")])
                        }
                        if let refused, refused.rule != .locked { throw refused }
                        engine.engine.checkpointIfDue()
                        if step % 40 == number { _ = refusal { _ = try engine.device(.setPasscode, "x") } }
                        if step % 40 == 20 + number { _ = refusal { _ = try engine.device(.removePasscode, "x") } }
                    }
                } catch { failures.update { $0.append("\(error)") } }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.update { $0 } == [])
        for engine in engines { #expect(try age(engine) == .current) }
        #expect(try age(try open()) == .current)
        #expect(lines.update { $0.filter { $0.contains("older") } } == [])
    }
}

extension TestEngine {
    fileprivate func status() throws(Refusal) -> DeviceStatus {
        var reader = try answer(.status)
        return try DeviceStatus(from: &reader)
    }

    /// Asks something with a passcode, or none, and gives what a verification found, if it is one.
    @discardableResult
    fileprivate func device(_ request: DeviceRequest, _ passcode: String? = nil) throws(Refusal) -> VerificationReport {
        var reader = try answer(request, passcode)
        guard case .verify = request else { return VerificationReport() }
        return try VerificationPage(from: &reader).report
    }

    private func answer(_ request: DeviceRequest, _ passcode: String? = nil) throws(Refusal) -> WireReader {
        let writer = ResponseWriter()
        let files = passcode.flatMap { try? PasscodeFile.make(SecretBytes(copying: Array($0.utf8).span)) }
        engine.device(request, passcodes: files.map { [$0] } ?? [], from: Self.caller, id: 1, by: .never, into: writer)
        let answer = writer.complete()
        guard answer.status == 0 else { throw Refusal(decoding: answer.body, status: answer.status) }
        var reader = WireReader(answer.body)
        _ = try reader.notice()
        return reader
    }
}
