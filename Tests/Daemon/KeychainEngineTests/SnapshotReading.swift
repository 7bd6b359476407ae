import KeychainModel
import KeychainWire
import LinuxSystem
import Testing

@testable import KeychainEngine
@testable import KeychainStore

extension ItemReader {
    /// A request for generic passwords.
    static func lookup(_ more: [String: RawValue]) throws -> ItemRequest {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        for (key, raw) in more { try builder.set(key, raw) }
        return try builder.build()
    }

    func answer(_ request: ItemRequest, by deadline: Deadline = .never) throws -> ItemResponse {
        let writer = ResponseWriter()
        read(request, from: TestEngine.caller, id: 1, by: deadline, into: writer)
        let answer = writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    /// The value of the item "a", which is a number.
    func value() throws -> Int? {
        let lookup = try Self.lookup(["acct": .string("a"), "r_Data": .boolean(true)])
        return try answer(lookup).items.first?.attributes[.valueData]?.string.flatMap { Int($0) }
    }

    /// Whether its connection is in a transaction, as SQLite sees it.
    var isHolding: Bool { reader.database.isInTransaction }
}

extension TestEngine {
    /// Writes so many batches of 128 KiB.
    func fill(_ batches: Range<Int>, _ between: (Int) throws -> Void) throws {
        let content = [UInt8](repeating: 7, count: 16_000)
        for batch in batches {
            let writes = try (0..<8).map { number in
                var builder = ItemRequestBuilder(.add)
                try builder.set("class", .string("genp"))
                try builder.set("acct", .string("filling \(batch) \(number)"))
                try builder.set("v_Data", data: content.span)
                return PendingWrite(try builder.build(), from: Self.caller, id: 1, by: .never)
            }
            engine.write(writes)
            try between(batch)
        }
    }

    /// In bytes.
    func sizeOfLog() throws -> Int { try #require(try FileStatus(at: "\(folder)/keychain.db-wal")).size }
}
