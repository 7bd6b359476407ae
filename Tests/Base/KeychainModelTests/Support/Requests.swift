import LinuxSystem

@testable import KeychainModel

extension ItemRequest {
    /// A request built from dictionaries, as the API builds one.
    static func made(
        _ operation: Operation, _ query: [String: RawValue], changes: [String: RawValue] = [:]
    ) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        for (key, value) in query {
            if case .data(let bytes) = value {
                try builder.set(key, data: bytes.span)
            } else {
                try builder.set(key, value)
            }
        }
        for (key, value) in changes {
            if case .data(let bytes) = value {
                try builder.change(key, data: bytes.span)
            } else {
                try builder.change(key, value)
            }
        }
        return try builder.build()
    }

    /// A request with lists built by hand, as a hostile client would build them.
    static func handmade(
        _ operation: Operation, _ itemClass: ItemClass? = .genericPassword, query: AttributeList = .empty,
        changes: AttributeList = .empty
    ) -> ItemRequest {
        var request = ItemRequest(operation)
        request.itemClass = itemClass
        request.query = query
        request.changes = changes
        return request
    }
}

extension AttributeList {
    /// The list of these entries, in this order.
    init(_ entries: [(AttributeID, AttributeValue)]) throws {
        let buffer = SecretBuffer(capacity: 64)
        for (id, value) in entries { buffer.append(id, value) }
        self = try AttributeList(parsing: buffer.copy())
    }

    /// The list in these bytes, valid or not.
    init(bytes: [UInt8]) throws(Malformed) { try self.init(parsing: SecretBytes(copying: bytes.span)) }

    /// The encoded bytes.
    var bytes: [UInt8] { storage.withSpan { $0.array(0, $0.count) } }
}

/// The status that a program gets.
func status(_ body: () throws(Refusal) -> Void) -> KeychainStatus {
    do throws(Refusal) { try body() } catch { return error.status }
    return .success
}

/// The refusal of `body`; nil when it succeeds.
func refusal(_ body: () throws(Refusal) -> Void) -> Refusal? {
    do throws(Refusal) { try body() } catch { return error }
    return nil
}
