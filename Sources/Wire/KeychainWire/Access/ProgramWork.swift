package import KeychainModel
package import LinuxSystem

/// Item requests that the keychain's own command makes for a program which only its path names: to carry its items
/// from one keychain to another.
///
///     work   = group:text count:u8 *(length:u32 body:length)        ; bodies of item requests
///     answers = count:u8 *(status:i32 length:u32 body:length)       ; as to each of them alone
package struct ProgramWork: Sendable {
    /// The program's own group.
    package let group: String
    let bodies: [SecretBytes]

    /// More would keep others waiting.
    package static let mostRequests = 64

    package init(_ group: String, _ requests: [ItemRequest]) {
        self.group = group
        bodies = requests.map { request in
            let buffer = SecretBuffer()
            request.append(to: buffer)
            return buffer.finish()
        }
    }

    /// The requests, read as those of any client.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for one that cannot be read.
    package func requests() throws(Refusal) -> [ItemRequest] {
        var requests: [ItemRequest] = []
        for body in bodies { requests.append(try ItemRequest(decoding: body)) }
        return requests
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(text: group)
        buffer.append(UInt8(truncatingIfNeeded: bodies.count))
        for body in bodies { body.withSpan { buffer.append(bytes: $0) } }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        group = try reader.name()
        let count = Int(try reader.integer(UInt8.self))
        guard count <= Self.mostRequests else { throw .malformed("the number of requests") }
        var bodies: [SecretBytes] = []
        for _ in 0..<count { bodies.append(try reader.secret(atMost: WireLimits.requestBody)) }
        self.bodies = bodies
    }
}

extension ProgramWork: Equatable {
    package static func == (one: ProgramWork, other: ProgramWork) -> Bool {
        one.group == other.group && one.bodies.count == other.bodies.count
            && zip(one.bodies, other.bodies).allSatisfy { $0.isEqual(to: $1) }
    }
}

/// The answer to a request of a ``ProgramWork``.
package struct ProgramAnswer: Sendable, Equatable {
    let status: Int32
    let body: SecretBytes

    package init(_ answer: (status: Int32, body: SecretBytes)) { (status, body) = answer }

    /// - Throws: the refusal that it is.
    package func get() throws(Refusal) -> ItemResponse { try ItemResponse(status: status, body: body) }

    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: UInt32(bitPattern: status))
        body.withSpan { buffer.append(bytes: $0) }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        status = Int32(bitPattern: try reader.integer(UInt32.self))
        body = try reader.secret(atMost: WireLimits.responseBody)
    }

    package static func == (one: ProgramAnswer, other: ProgramAnswer) -> Bool {
        one.status == other.status && one.body.isEqual(to: other.body)
    }
}
