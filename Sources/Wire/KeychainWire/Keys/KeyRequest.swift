package import KeychainModel
package import LinuxSystem

/// A caller's requests about keys that only the enclave sees.
///
///     body = 1:u8 binding                                  ; make a key; its group may be empty, for the caller's own
///     body = 2:u8 sealedKey use                            ; use a key
///     body = 3:u8 fileRequest                              ; the keys of protected files
package enum KeyRequest: Hashable, Sendable {
    /// → ``KeyReply/key(_:)``: a new P-256 key, made inside the enclave.
    case make(KeyBinding)
    /// → ``KeyReply/output(_:)``: what the private key makes of the input.
    case use(SealedKey, KeyUse)
    /// → ``KeyReply/file(_:)``.
    case file(FileRequest)

    private enum Code: UInt8 {
        case make = 1
        case use = 2
        case file = 3
    }

    /// Appends the body to a frame under construction.
    package func append(to buffer: SecretBuffer) {
        switch self {
        case .make(let binding):
            buffer.append(Code.make.rawValue)
            binding.append(to: buffer)
        case .use(let key, let use):
            buffer.append(Code.use.rawValue)
            key.append(to: buffer)
            use.append(to: buffer)
        case .file(let request):
            buffer.append(Code.file.rawValue)
            request.append(to: buffer)
        }
    }

    /// Reads a body.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for anything that is not exactly a body.
    package init(decoding body: SecretBytes) throws(Refusal) {
        var reader = WireReader(body)
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .make?: self = .make(try KeyBinding(from: &reader))
        case .use?: self = .use(try SealedKey(from: &reader), try KeyUse(from: &reader))
        case .file?: self = .file(try FileRequest(from: &reader))
        case nil: throw .malformed("the key request")
        }
        guard reader.isAtEnd else { throw .malformed("the end of the key request") }
    }
}

/// An operation with a private key: which one follows from the algorithm.
///
///     use = requestedSize:u32 algorithm:text sharedInfo:bytes input:bytes        ; requestedSize 0 when there is none
package struct KeyUse: Hashable, Sendable {
    /// Apple's name of the algorithm, such as `algid:sign:ECDSA:digest-X962:SHA256`.
    package var algorithm: String
    /// The data to sign or decrypt, or the peer's public key in its external representation.
    package var input: [UInt8]
    /// How many bytes a key exchange with key derivation is to give.
    package var requestedSize: UInt32
    /// The second input of a key derivation, with the shared secret.
    package var sharedInfo: [UInt8]

    package init(_ algorithm: String, _ input: [UInt8], requestedSize: UInt32 = 0, sharedInfo: [UInt8] = []) {
        self.algorithm = algorithm
        self.input = input
        self.requestedSize = requestedSize
        self.sharedInfo = sharedInfo
    }

    /// Refuses what the enclave's channel cannot carry, in words; a peer that sends it nevertheless is not understood.
    ///
    /// - Throws: `errSecParam` (`query.too-large`).
    package func checkSize() throws(Refusal) {
        let largest = max(input.count - KeyLimits.inputBytes, sharedInfo.count - KeyLimits.sharedInfoBytes)
        guard largest > 0 || requestedSize > KeyLimits.derivedBytes else { return }
        throw Refusal(
            .param, .tooLarge, "input",
            "A key in the enclave takes at most \(KeyLimits.inputBytes) bytes of input and "
                + "\(KeyLimits.sharedInfoBytes) of shared info, and gives at most \(KeyLimits.derivedBytes).",
            do: "Encrypt large data with a key of its own, and that key with the enclave's.")
    }

    /// Appends the operation to a message under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: requestedSize)
        buffer.append(text: algorithm)
        buffer.append(bytes: sharedInfo.span)
        buffer.append(bytes: input.span)
    }

    /// Reads an operation that a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        requestedSize = try reader.integer(UInt32.self)
        algorithm = try reader.text()
        guard algorithm.utf8.count <= KeyLimits.algorithmBytes, requestedSize <= KeyLimits.derivedBytes else {
            throw .malformed("the algorithm")
        }
        sharedInfo = try reader.bytes(atMost: KeyLimits.sharedInfoBytes)
        input = try reader.bytes(atMost: KeyLimits.inputBytes)
    }
}

/// The answer to a key request, after the notice that every response begins with.
package enum KeyReply: Sendable {
    /// To ``KeyRequest/make(_:)``.
    case key(SealedKey)
    /// To ``KeyRequest/use(_:_:)``: `output:bytes`.
    case output(SecretBytes)
    /// To ``KeyRequest/file(_:)``.
    case file(FileReply)

    /// Appends the reply to a response under construction.
    package func append(to buffer: SecretBuffer) {
        switch self {
        case .key(let key): key.append(to: buffer)
        case .output(let output): output.withSpan { buffer.append(bytes: $0) }
        case .file(let reply): reply.append(to: buffer)
        }
    }

    /// Reads the body of a response.
    ///
    /// - Throws: the refusal it carries, or `wire.malformed` when it cannot be read.
    package init(to request: KeyRequest, status: Int32, body: SecretBytes) throws(Refusal) {
        guard status == 0 else { throw Refusal(decoding: body, status: status) }
        var reader = WireReader(body)
        _ = try reader.notice()
        switch request {
        case .make: self = .key(try SealedKey(from: &reader))
        case .use: self = .output(try reader.secret(atMost: KeyLimits.inputBytes))
        case .file(let request): self = .file(try FileReply(to: request, from: &reader))
        }
        guard reader.isAtEnd else { throw .malformed("the end of the response") }
    }
}
