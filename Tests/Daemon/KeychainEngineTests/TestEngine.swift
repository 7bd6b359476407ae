import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport

@testable import KeychainEngine
@testable import KeychainStore

/// The real engine over a real store and the software enclave, in a folder of its own.
final class TestEngine: Sendable {
    let folder: String
    let engine: KeychainEngine
    let enclave: SoftwareEnclave
    let agent = TestAgent()
    static let caller = CallerIdentity(user: 0, process: 0, program: "test", groups: ["test"])

    init(
        in directory: TemporaryDirectory, exclusive: Bool = false, quotas: Quotas = .none,
        history: HistoryLimits = HistoryLimits(), anchoredGroups: AnchoredGroups = .none,
        user: (any UserAgent)? = nil, log: AuditLog.Writer? = nil
    ) throws {
        folder = directory.path + "/keychain"
        enclave = try SoftwareEnclave(
            vault: "\(folder)/vault", createIfMissing: !ItemStore.exists(in: folder), passcodeCost: .cheapest,
            userAgent: user ?? agent)
        let store = try ItemStore(folder: folder, prefersExclusive: exclusive)
        engine = try KeychainEngine(
            store: store, enclave: enclave, deployment: "test", quotas: quotas, history: history,
            anchoredGroups: anchoredGroups, log: log)
    }

    /// Adds a generic password.
    func add(_ account: String, _ value: String, more: [String: RawValue] = [:]) throws(Refusal) {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("genp"))
        try builder.set("svce", .string("service"))
        try builder.set("acct", .string(account))
        for (key, raw) in more { try builder.set(key, raw) }
        try builder.set("v_Data", data: Array(value.utf8).span)
        _ = try write(try builder.build())
    }

    /// The values of all generic passwords by account.
    func values() throws(Refusal) -> [String: String] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        for flag in ["r_Data", "r_Attributes"] { try builder.set(flag, .boolean(true)) }
        try builder.set("m_Limit", .string("m_LimitAll"))
        let items: [ItemResponse.Item]
        do throws(Refusal) { items = try read(try builder.build()).items } catch {
            guard error.status == .itemNotFound else { throw error }
            return [:]
        }
        return items.reduce(into: [:]) { values, item in
            guard let account = item.attributes[.account]?.string else { return }
            values[account] = item.attributes[.valueData]?.string
        }
    }

    func read(_ request: ItemRequest, by deadline: Deadline = .never) throws(Refusal) -> ItemResponse {
        let writer = ResponseWriter()
        try engine.makeItemReader().read(request, from: Self.caller, id: 1, by: deadline, into: writer)
        let answer = writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    func write(_ request: ItemRequest, by deadline: Deadline = .never) throws(Refusal) -> ItemResponse {
        let write = PendingWrite(request, from: Self.caller, id: 1, by: deadline)
        engine.write([write])
        let answer = write.writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    func verify(from cursor: VerificationCursor, by deadline: Deadline) throws(Refusal) -> VerificationPage {
        try engine.makeItemReader().verify(from: cursor, by: deadline)
    }

    /// The findings of all pages of a verification.
    func verify() throws(Refusal) -> VerificationReport {
        var (report, next) = (VerificationReport(), VerificationCursor.start as VerificationCursor?)
        while let cursor = next {
            let page = try verify(from: cursor, by: .never)
            report.add(page.report)
            next = page.next
        }
        return report
    }

    /// Asks something about access.
    func access(
        _ request: AccessRequest, from caller: CallerIdentity = caller, _ passcode: String? = nil
    ) throws(Refusal) -> AccessReply {
        let writer = ResponseWriter()
        let files = passcode.flatMap { try? PasscodeFile.make(SecretBytes(copying: Array($0.utf8).span)) }
        engine.device(
            .access(request), passcodes: files.map { [$0] } ?? [], from: caller, id: 1, by: .never, into: writer)
        let answer = writer.complete()
        guard answer.status == 0 else { throw Refusal(decoding: answer.body, status: answer.status) }
        var reader = WireReader(answer.body)
        _ = try reader.notice()
        return try AccessReply(to: request, from: &reader)
    }

    /// Does something to the file behind the engine's back.
    func tamper(_ sql: String) throws {
        let database = try Database(path: "\(folder)/keychain.db", sharing: .shared)
        try database.execute(sql, "be damaged")
    }
}

extension TestEngine {
    /// A statement for ``tamper(_:)`` that makes another byte of one in a column of a generic password.
    static func flip(_ column: String, _ offset: Int, ofRow row: Int) -> String {
        let byte = "substr(\(column), \(offset), 1)"
        let changed = "CASE WHEN \(byte) = x'00' THEN x'01' ELSE x'00' END"
        let value =
            "CAST(substr(\(column), 1, \(offset - 1)) || \(changed) || substr(\(column), \(offset + 1)) AS BLOB)"
        return "UPDATE genp SET \(column) = \(value) WHERE id = \(row)"
    }

    /// Adds items in one transaction and gives the status of each.
    func addTogether(_ accounts: [String]) throws(Refusal) -> [Int32] {
        var writes: [PendingWrite] = []
        for account in accounts {
            var builder = ItemRequestBuilder(.add)
            try builder.set("class", .string("genp"))
            try builder.set("acct", .string(account))
            try builder.set("v_Data", data: Array("value".utf8).span)
            writes.append(
                PendingWrite(
                    try builder.build(),
                    from: Self.caller, id: 1, by: .never))
        }
        engine.write(writes)
        return writes.map { $0.writer.complete().status }
    }
}

/// The refusal that a body ends in; nil when it does not.
func refusal(_ body: () throws -> Void) -> Refusal? {
    do { try body() } catch { return error as? Refusal }
    return nil
}
