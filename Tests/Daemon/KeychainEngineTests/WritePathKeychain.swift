import EnclaveWire
import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SyncStore
import TestSupport

@testable import KeychainEngine
@testable import KeychainStore

/// A keychain for the ways in which items change (``WritePath``), and another one whose backups it gets.
final class WritePathKeychain: Sendable {
    let directory: TemporaryDirectory
    let engine: TestEngine
    let circle: CircleRecords
    let moment = Lock(0.0)
    private let elsewhere: TemporaryDirectory
    private let backup = Lock<TestBackup?>(nil)
    static let both = CallerIdentity(user: 0, process: 0, program: "test", groups: ["test", "new"])

    /// - Parameters:
    ///   - directory: of a keychain that is there; a new one without it.
    ///   - user: the one that the enclave asks.
    init(in directory: TemporaryDirectory? = nil, user: (any UserAgent)? = nil) throws {
        (self.directory, elsewhere) = (try directory ?? TemporaryDirectory(), try TemporaryDirectory())
        engine = try TestEngine(in: self.directory, user: user)
        circle = CircleRecords(engine.engine)
    }

    // MARK: - Requests

    func add(
        _ account: String, _ more: [String: RawValue] = [:], value: String = "value", updates: Bool = false
    ) throws {
        var request = try Self.request(.add, account, more.merging(["v_Data": .data(Array(value.utf8))]) { $1 })
        request.updatesExisting = updates
        _ = try engine.write(request)
    }

    func addTogether(_ accounts: [String]) throws {
        let writes = try accounts.map { account in
            PendingWrite(
                try Self.request(.add, account, ["v_Data": .data([1])]), from: TestEngine.caller, id: 1, by: .never)
        }
        engine.engine.write(writes)
    }

    func update(
        _ account: String, _ changes: [String: RawValue], of isSynchronizable: RawValue = .boolean(true)
    ) throws {
        var builder = ItemRequestBuilder(.update)
        let query = ["class": RawValue.string("genp"), "acct": .string(account), "sync": isSynchronizable]
        for (key, value) in query { try builder.set(key, value) }
        for (key, value) in changes {
            if case .data(let bytes) = value, key == "v_Data" {
                try builder.change(key, data: bytes.span)
            } else {
                try builder.change(key, value)
            }
        }
        _ = try engine.perform(try builder.build(), from: Self.both)
    }

    func delete(_ account: String?, _ more: [String: RawValue] = [:]) throws {
        _ = try engine.write(try Self.request(.delete, account, more))
    }

    func forget(_ account: String) throws { _ = try engine.write(try Self.request(.forget, account)) }

    func restore(_ account: String, asOf moment: Double? = nil) throws {
        var builder = ItemRequestBuilder(.restore)
        let query = ["class": RawValue.string("genp"), "acct": .string(account), "sync": .boolean(true)]
        for (key, value) in query { try builder.set(key, value) }
        if let moment { builder.restore(asOf: moment) }
        _ = try engine.write(try builder.build())
    }

    private static func request(
        _ operation: ItemRequest.Operation, _ account: String?, _ more: [String: RawValue] = [:]
    ) throws -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        var values = ["class": RawValue.string("genp"), "sync": .boolean(true)].merging(more) { $1 }
        if let account { values["acct"] = .string(account) }
        for (key, value) in values { try builder.put(key, value) }
        return try builder.build()
    }

    func addIdentity() throws {
        let label = RawValue.data([UInt8](repeating: 5, count: 20))
        let (certificate, key): ([String: RawValue], [String: RawValue]) = (
            ["class": .string("cert"), "pkhh": label, "slnr": .data([1]), "ctyp": .number(3)],
            ["class": .string("keys"), "klbl": label, "kcls": .string("1"), "bsiz": .number(256)]
        )
        var request = try Self.half(certificate)
        (request.itemClass, request.changes) = (.identity, try Self.half(key).query)
        _ = try engine.write(request)
    }

    private static func half(_ values: [String: RawValue]) throws -> ItemRequest {
        var builder = ItemRequestBuilder(.add)
        for (name, value) in values { try builder.set(name, value) }
        for (name, value) in ["sync": RawValue.boolean(true), "v_Data": .data([1, 2])] { try builder.put(name, value) }
        return try builder.build()
    }

    // MARK: - Groups

    func move(_ move: GroupMove) throws { _ = try engine.access(.move(move), from: Self.both) }

    private var program: String { directory.file("program") }

    /// A program with an item in its group, which is to go with it.
    func install() throws {
        _ = try FileDescriptor.open(program, O_CREAT | O_WRONLY)
        let group = CallerIdentity.ownGroup(ofExecutable: program)
        let caller = CallerIdentity(user: 1000, process: 1, program: program, groups: [group])
        engine.engine.arrived(caller)
        try engine.add("its", "v", more: ["sync": .boolean(true)], as: caller)
        _ = try engine.access(.setPolicy(.purge, group: group), from: TestEngine.command)
    }

    func uninstall() throws {
        unsafe unlink(program)
        guard case .purged(1) = try engine.access(.uninstalled([program]), from: TestEngine.command) else {
            throw Refusal.malformed("the count")
        }
    }

    // MARK: - Backups

    func keepBackup() throws {
        let made = try engine.backUp()
        backup.withLock { $0 = made }
    }

    /// Adds an item here and in another keychain, and keeps a backup of that one.
    func addElsewhere(_ account: String, later: Bool) throws {
        let other = try TestEngine(in: elsewhere)
        if later { try add(account) }
        _ = try other.write(try Self.request(.add, account, ["v_Data": .data([9])]))
        if !later { try add(account) }
        let made = try other.backUp()
        backup.withLock { $0 = made }
    }

    func restoreBackup(_ outcome: RestoredItem.Outcome) throws {
        guard let made = backup.withLock({ $0 }) else { return }
        guard try engine.restoreAll(made).map(\.outcome) == [outcome] else { throw Refusal.malformed("the outcome") }
    }

    // MARK: - The store

    /// The rows that other machines may get: primary keys with the bytes of their values, and whether they are
    /// tombstones.
    func rows() throws -> [[UInt8]: (data: [UInt8], isTombstone: Bool)] {
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        var rows: [[UInt8]: (data: [UInt8], isTombstone: Bool)] = [:]
        for itemClass in ItemClass.stored {
            let sql = "SELECT pk, data, tomb FROM \(itemClass.code) WHERE sync = 1 AND pdmn < 4"
            let statement = try database.prepare(sql, "be read")
            while try statement.step() {
                let key = statement.withBlob(0) { $0.array(0, $0.count) }
                rows[key] = (statement.withBlob(1) { $0.array(0, $0.count) }, statement.integer(2) != 0)
            }
        }
        return rows
    }

    func count(_ sql: String) throws -> Int64? {
        try Database(path: "\(engine.folder)/keychain.db", sharing: .shared).integer(sql, "be counted")
    }
}

extension ItemRequestBuilder {
    /// Sets a value, which of the key for an item's value is bytes.
    fileprivate mutating func put(_ key: String, _ value: RawValue) throws(Refusal) {
        if case .data(let bytes) = value, key == "v_Data" {
            try set(key, data: bytes.span)
        } else {
            try set(key, value)
        }
    }
}
