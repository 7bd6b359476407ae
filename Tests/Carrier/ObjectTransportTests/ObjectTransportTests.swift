import Glibc
import LinuxSystem
import ObjectTransport
import SyncFormat
import SyncTransports
import TestSupport
import Testing

/// A bucket: that of a real server, which KEYCHAIN_TEST_BUCKET names, or of a stand-in that speaks as much of the
/// protocol as is used, and checks signatures.
final class Bucket {
    let circle = CircleID(number: UInt128.random(in: .min ... .max))
    let first = MemberID(number: 1)
    let second = MemberID(number: 2)
    private let url: String
    private let standIn: RunningProgram?

    /// - Parameter words: of a stand-in that is not as it should be.
    init(_ words: String...) throws {
        if words.isEmpty, let url = unsafe getenv("KEYCHAIN_TEST_BUCKET") {
            (self.url, standIn) = (unsafe String(cString: url), nil)
            return
        }
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let program = try RunningProgram(
            "/usr/bin/python3",
            ["-B", "/\(root)/Tests/Scripts/object_server.py"] + words)
        // Five digits, and the end of the line.
        url = "http://127.0.0.1:\(try program.output.readText(6).prefix(5))/bucket"
        standIn = program
    }

    func machine(
        key: String = "AKEY", secret: String = "SKEY", looks: Looks = Looks()
    ) throws -> ObjectTransport {
        let secret = SecretBytes(copying: Array(secret.utf8).span)
        return ObjectTransport(
            try ObjectStore(url, accessKey: key, secretKey: secret), circle: circle, looks: looks)
    }

    func slot(_ device: MemberID, _ seq: UInt64, part: UInt32? = nil) -> SyncSlot {
        SyncSlot(circle: circle, device: device, seq: seq, part: part)
    }

    /// The requests since the last call, a letter each, and one that deletes as the last.
    func requests() throws -> String {
        try machine().discard([slot(second, 1 << 20)])
        var letters = ""
        while !letters.hasSuffix("D"), let output = standIn?.output { letters += try output.readText(1) }
        return letters
    }
}

@Suite("An object store carries a circle")
struct ObjectTransportTests {
    let bucket: Bucket
    init() throws { bucket = try Bucket() }

    @Test("Machines find what others commit, page by page, and discard what is covered")
    func carries() throws {
        let machine = try bucket.machine()
        try machine.found()
        for seq in 1...5 {
            #expect(try machine.commit([UInt8(seq), 0, 1], in: bucket.slot(bucket.first, UInt64(seq))) == .done)
        }
        #expect(try machine.commit([9], in: bucket.slot(bucket.second, 1)) == .done)
        #expect(try machine.commit([7], in: bucket.slot(bucket.first, 1, part: 0)) == .done)

        let page = try bucket.machine().changes(after: [bucket.first: 2], atMost: 4)
        #expect(page.batches.map(\.slot.seq) == [3, 4] && !page.isComplete)
        let rest = try bucket.machine().changes(after: [bucket.first: 4], atMost: 1000)
        #expect(rest.batches.map(\.bytes) == [[5, 0, 1], [9]] && rest.isComplete)
        #expect(rest.ends == [bucket.first: 5, bucket.second: 1])
        #expect(try machine.read(bucket.slot(bucket.first, 1, part: 0)) == [7])
        #expect(try machine.read(bucket.slot(bucket.first, 1, part: 1)) == nil)

        for _ in 1...2 { try machine.discard([bucket.slot(bucket.first, 1)]) }
        #expect(try machine.changes(after: [:], atMost: 1000).batches.count == 5)
    }

    @Test("Of many writers of one slot one wins, and all others see its bytes")
    func oneWinner() throws {
        let slot = bucket.slot(bucket.first, 1)
        let results = Lock<[UInt8: Commitment]>([:])
        let threads = try (1...8).map { (number: UInt8) in
            let machine = try bucket.machine()
            return try Thread(named: "writer") {
                let result = try? machine.commit([number], in: slot)
                results.withLock { $0[number] = result }
            }
        }
        for thread in threads { thread.join() }
        let all = results.withLock { $0 }
        let winners = all.filter { $0.value == .done }.map(\.key)
        #expect(all.count == 8 && winners.count == 1)
        #expect(all.values.allSatisfy { $0 == .done || $0 == .occupied(winners) })
    }

    @Test("The largest batch comes back as it was")
    func large() throws {
        let bytes = (0..<TransportLimits.slotBytes).map { UInt8(truncatingIfNeeded: $0 / 7) }
        #expect(try bucket.machine().commit(bytes, in: bucket.slot(bucket.first, 1)) == .done)
        #expect(try bucket.machine().read(bucket.slot(bucket.first, 1)) == bytes)
    }

    @Test("More than a page of names is read whole")
    func pages() throws {
        let machine = try bucket.machine()
        let count = UInt64(full(1005, gate: 105))
        for seq in 1...count { _ = try machine.commit([1], in: bucket.slot(bucket.first, seq)) }
        #expect(try machine.changes(after: [bucket.first: count - 1], atMost: 10).batches.map(\.slot.seq) == [count])
    }

    @Test("A store that ignores conditions is refused before anything is written to it")
    func ignorant() throws {
        let bucket = try Bucket("ignores-conditions")
        let problem = TransportProblem.refused(
            "the store ignores If-None-Match: two machines would overwrite each other")
        #expect(throws: problem) { try bucket.machine().found() }
    }

    @Test("A wrong secret is an error, never an empty answer")
    func strangers() throws {
        _ = try bucket.machine().commit([1], in: bucket.slot(bucket.first, 1))
        for machine in [try bucket.machine(secret: "other"), try bucket.machine(key: "other")] {
            #expect(throws: TransportProblem.self) { try machine.changes(after: [:], atMost: 1) }
            #expect(throws: TransportProblem.self) { try machine.read(bucket.slot(bucket.first, 1)) }
            #expect(throws: TransportProblem.self) { try machine.commit([1], in: bucket.slot(bucket.first, 2)) }
            #expect(throws: TransportProblem.self) { try machine.discard([bucket.slot(bucket.first, 1)]) }
        }
        #expect(try bucket.machine().read(bucket.slot(bucket.first, 1)) == [1])
    }
}

@Suite("The URL of a bucket")
struct ObjectStoreTests {
    @Test("A server on the network is verified, and a URL has no secret")
    func rules() throws {
        let secret = SecretBytes(copying: [1].span)
        for url in ["https://s3.example.org/bucket", "https://s3.example.org:9000/b", "http://127.0.0.1:1/b"] {
            #expect(throws: Never.self) { try ObjectStore(url, accessKey: "a", secretKey: secret) }
        }
        for url in [
            "http://s3.example.org/bucket", "http://127.0.0.1.example.org/b", "https://a:b@s3.example.org/bucket",
            "https://s3.example.org", "https://s3.example.org/", "https://s3.example.org/b/c", "ftp://s3.example.org/b",
            "https://s3.example.org/b?x", "https://s3.example.org/b c", "",
        ] {
            #expect(throws: TransportProblem.self, "\(url)") {
                try ObjectStore(url, accessKey: "a", secretKey: secret)
            }
        }
    }

    @Test("A server that is not there is an error")
    func unreachable() throws {
        let store = try ObjectStore(
            "http://127.0.0.1:1/b", accessKey: "a", secretKey: SecretBytes(copying: [1].span))
        #expect(throws: TransportProblem.self) {
            try ObjectTransport(store, circle: CircleID(number: 1)).changes(after: [:], atMost: 1)
        }
    }
}

@Suite("An object store in wrong hands")
struct HostileStoreTests {
    @Test("A list of more batches than any circle has is refused, however few its pages are")
    func floods() throws {
        let bucket = try Bucket("floods")
        // Nothing of the list is wanted.
        let heads = [MemberID(number: 0): UInt64.max]
        let problem = #expect(throws: TransportProblem.self) {
            try bucket.machine().changes(after: heads, atMost: 1)
        }
        #expect(problem?.description.contains("hundred thousand") == true)
    }

    @Test("No request is sent again to where a store points")
    func redirects() throws {
        let bucket = try Bucket("redirects")
        let problem = #expect(throws: TransportProblem.self) {
            try bucket.machine().commit([1], in: bucket.slot(bucket.first, 1))
        }
        #expect(problem?.description.contains("307") == true)
    }

    @Test("An answer without an end ends with an error")
    func endless() throws {
        let bucket = try Bucket("endless")
        let problem = #expect(throws: TransportProblem.self) {
            try bucket.machine().read(bucket.slot(bucket.first, 1))
        }
        if case .unreachable = problem {} else { Issue.record("\(String(describing: problem))") }
    }
}
