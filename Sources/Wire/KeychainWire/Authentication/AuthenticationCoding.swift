package import KeychainModel
package import LinuxSystem

/// The body of an authentication request.
///
///     body    = 1:u8                                                     ; capabilities
///     body    = 2:u8 purpose context:16 prompt                           ; evaluate
///     body    = 3:u8 inner:u8 known:u8 context:16 prompt request:bytes   ; perform
///                                                    ; inner: 1 an item request, 4 a key request
///     body    = 4:u8 context:16                                          ; invalidate
///     body    = 5:u8 prompt change                                       ; circle
///     purpose = 1:u8 policy:u8 | 2:u8 operation:u8 flags:u64 | 3:u8   ; 3: unlock
///
/// `known` 0 says that the program gave no context; the 16 bytes are zero then. A prompt's program and item are empty:
/// the engine fills them in.
extension AuthenticationRequest {
    private enum Code: UInt8 {
        case capabilities = 1
        case evaluate = 2
        case perform = 3
        case invalidate = 4
        case circle = 5
    }

    /// Whether it may wait for a person.
    package var mayAsk: Bool {
        switch self {
        case .evaluate, .perform, .circle: true
        case .capabilities, .invalidate: false
        }
    }

    /// How many descriptors may come with it: the application password, as a sealed memory file.
    package var descriptors: ClosedRange<Int> {
        switch self {
        case .capabilities, .invalidate, .circle: 0...0
        case .evaluate, .perform: 0...1
        }
    }

    /// Appends the body to a frame under construction.
    package func append(to buffer: SecretBuffer) {
        switch self {
        case .capabilities: buffer.append(Code.capabilities.rawValue)
        case .evaluate(let purpose, let context, let prompt):
            buffer.append(Code.evaluate.rawValue)
            purpose.append(to: buffer)
            buffer.append(context.span)
            prompt.append(to: buffer)
        case .perform(let inner, let context, let prompt):
            buffer.append(Code.perform.rawValue)
            buffer.append(inner.kind.rawValue)
            buffer.append(context == nil ? 0 : 1)
            let identifier = context ?? [UInt8](repeating: 0, count: AuthenticationContext.identifierBytes)
            buffer.append(identifier.span)
            prompt.append(to: buffer)
            inner.append(to: buffer)
        case .invalidate(let context):
            buffer.append(Code.invalidate.rawValue)
            buffer.append(context.span)
        case .circle(let change, let prompt):
            buffer.append(Code.circle.rawValue)
            prompt.append(to: buffer)
            change.append(to: buffer)
        }
    }

    /// Reads a body.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for anything that is not exactly a body.
    package init(decoding body: SecretBytes) throws(Refusal) {
        var reader = WireReader(body)
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .capabilities?: self = .capabilities
        case .evaluate?:
            let purpose = try AuthenticationPurpose(from: &reader)
            let context = try reader.contextIdentifier()
            self = .evaluate(purpose, context: context, prompt: try Prompt(from: &reader))
        case .perform?: self = try Self.perform(from: &reader)
        case .invalidate?: self = .invalidate(context: try reader.contextIdentifier())
        case .circle?:
            let prompt = try Prompt(from: &reader)
            self = .circle(try CircleChange(from: &reader), prompt: prompt)
        case nil: throw .malformed("the authentication request")
        }
        guard reader.isAtEnd else { throw .malformed("the end of the authentication request") }
    }

    private static func perform(from reader: inout WireReader) throws(Refusal) -> Self {
        let kind = FrameHeader.Kind(rawValue: try reader.integer(UInt8.self))
        let known = try reader.integer(UInt8.self)
        let context = try reader.contextIdentifier()
        guard known == 1 || known == 0 && context.allSatisfy({ $0 == 0 }) else { throw .malformed("the context") }
        let prompt = try Prompt(from: &reader)
        let body = try reader.secret(atMost: WireLimits.requestBody)
        let inner = try Inner(kind, decoding: body)
        return .perform(inner, context: known == 1 ? context : nil, prompt: prompt)
    }
}

extension AuthenticationRequest.Inner {
    fileprivate var kind: FrameHeader.Kind {
        switch self {
        case .item: .item
        case .key: .key
        }
    }

    fileprivate func append(to buffer: SecretBuffer) {
        let lengthOffset = buffer.count
        buffer.append(littleEndian: UInt32(0))
        switch self {
        case .item(let request): request.append(to: buffer)
        case .key(let request): request.append(to: buffer)
        }
        buffer.overwrite(littleEndian: UInt32(truncatingIfNeeded: buffer.count - lengthOffset - 4), at: lengthOffset)
    }

    fileprivate init(_ kind: FrameHeader.Kind?, decoding body: SecretBytes) throws(Refusal) {
        switch kind {
        case .item: self = .item(try ItemRequest(decoding: body))
        case .key: self = .key(try KeyRequest(decoding: body))
        default: throw .malformed("the kind of the request inside")
        }
    }
}

/// A purpose within a message; the grammar is that of ``AuthenticationRequest``.
extension AuthenticationPurpose {
    /// Appends the purpose to a message under construction.
    package func append(to buffer: SecretBuffer) {
        switch self {
        case .policy(let policy):
            buffer.append(1)
            buffer.append(policy)
        case .control(let flags, let operation):
            buffer.append(2)
            buffer.append(operation.rawValue)
            buffer.append(littleEndian: flags)
        case .unlock: buffer.append(3)
        }
    }

    /// Reads a purpose that a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .policy(try reader.integer(UInt8.self))
        case 2:
            guard let operation = GuardedOperation(rawValue: try reader.integer(UInt8.self)) else {
                throw .malformed("the guarded operation")
            }
            self = .control(flags: try reader.integer(UInt64.self), operation)
        case 3: self = .unlock
        default: throw .malformed("the purpose")
        }
    }
}

extension WireReader {
    /// The identifier of a context.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`).
    package mutating func contextIdentifier() throws(Refusal) -> [UInt8] {
        try array(AuthenticationContext.identifierBytes)
    }
}
