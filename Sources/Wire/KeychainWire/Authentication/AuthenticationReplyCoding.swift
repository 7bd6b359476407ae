package import KeychainModel
package import LinuxSystem

/// The answer to an authentication request, after the notice that every response begins with.
///
///     capabilities = state:u8 passcodeIsSet:u8 enrolment:bytes
///     evaluated    = factors:u8 enrolment:bytes
///     circle       = 0:u8 | 1:u8 status                  ; none after leaving it
///
/// The answer to ``AuthenticationRequest/perform(_:context:prompt:)`` is that of the request inside.
extension AuthenticationReply {
    /// Reads the body of a response.
    ///
    /// - Throws: the refusal it carries, or `wire.malformed` when it cannot be read.
    package init(to request: AuthenticationRequest, status: Int32, body: SecretBytes) throws(Refusal) {
        switch request {
        case .perform(.item, _, _): self = .item(try ItemResponse(status: status, body: body))
        case .perform(.key(let inner), _, _): self = .key(try KeyReply(to: inner, status: status, body: body))
        case .capabilities, .evaluate, .invalidate, .circle:
            guard status == 0 else { throw Refusal(decoding: body, status: status) }
            var reader = WireReader(body)
            _ = try reader.notice()
            try self.init(to: request, from: &reader)
            guard reader.isAtEnd else { throw .malformed("the end of the response") }
        }
    }

    private init(to request: AuthenticationRequest, from reader: inout WireReader) throws(Refusal) {
        switch request {
        case .capabilities: self = .capabilities(try AuthenticationCapabilities(from: &reader))
        case .evaluate: self = .evaluated(try AuthenticationResult(from: &reader))
        case .circle: self = .circle(try reader.flag() ? try SyncStatus(from: &reader) : nil)
        case .invalidate, .perform: self = .done
        }
    }
}

extension AuthenticationCapabilities {
    /// Appends the capabilities to a message under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(biometry.state.rawValue)
        buffer.append(passcodeIsSet ? 1 : 0)
        buffer.append(bytes: biometry.enrolment.span)
    }

    /// Reads capabilities that a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when they cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        guard let state = BiometryStatus.State(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("the state of the biometry")
        }
        let passcodeIsSet = try reader.integer(UInt8.self)
        guard passcodeIsSet <= 1 else { throw .malformed("the capabilities") }
        let enrolment = try reader.enrolment()
        self.init(biometry: BiometryStatus(state: state, enrolment: enrolment), passcodeIsSet: passcodeIsSet == 1)
    }
}

extension AuthenticationResult {
    /// Appends the result to a message under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(factors.rawValue)
        buffer.append(bytes: enrolment.span)
    }

    /// Reads a result that a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        let factors = AuthenticationFactors(rawValue: try reader.integer(UInt8.self))
        guard factors.isSubset(of: [.passcode, .biometry]) else { throw .malformed("the factors") }
        self.init(factors: factors, enrolment: try reader.enrolment())
    }
}

extension WireReader {
    /// The digest of a biometric enrolment: 32 bytes, or none.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`).
    package mutating func enrolment() throws(Refusal) -> [UInt8] {
        let bytes = try bytes(atMost: BiometryStatus.enrolmentBytes)
        guard bytes.isEmpty || bytes.count == BiometryStatus.enrolmentBytes else { throw .malformed("the enrolment") }
        return bytes
    }
}

extension BiometryStatus {
    package static let enrolmentBytes = 32
}
