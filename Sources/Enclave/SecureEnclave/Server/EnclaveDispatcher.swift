import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// Turns a message of the channel into a call of the enclave, and what it gives into the body of the answer.
struct EnclaveDispatcher: Sendable {
    let enclave: any EnclaveService
    let questions = OpenQuestions()
    let terminals = WaitingTerminals()

    /// Answers a request into an empty buffer.
    ///
    /// - Returns: the word of the answer.
    func answer(
        _ word: UInt32, _ body: Span<UInt8>, descriptors: [FileDescriptor] = [], into answer: SecretBuffer
    ) -> UInt32 {
        do throws(Refusal) {
            let call = try EnclaveCall(word: word)
            guard descriptors.count == call.operation.descriptors else { throw .malformed("an enclave request") }
            try perform(call, body, descriptors, into: answer)
            return 0
        } catch {
            answer.removeAll()
            error.append(to: answer)
            return UInt32(bitPattern: error.status.rawValue)
        }
    }

    private func perform(
        _ call: EnclaveCall, _ body: Span<UInt8>, _ descriptors: [FileDescriptor], into answer: SecretBuffer
    ) throws(Refusal) {
        switch call.operation {
        case .hello: throw .malformed("the second hello of a channel")
        case .status: try enclave.status().append(to: answer)
        case .indexKey: try answer.append(enclave.indexKey())
        case .makeMetadataKey, .unwrapMetadataKey, .wrapRowKey:
            guard let accessibility = call.accessibility else { throw .malformed("the class of an enclave request") }
            try perform(call.operation, accessibility, body, into: answer)
        case .unwrapRowKeys: try enclave.unwrapRowKeys(body, into: answer)
        case .lock: try enclave.lock()
        case .unlock: try enclave.unlock(passcode: descriptors[0])
        case .setPasscode: try enclave.setPasscode(descriptors[0])
        case .changePasscode: try enclave.changePasscode(from: descriptors[0], to: descriptors[1])
        case .removePasscode: try enclave.removePasscode(descriptors[0])
        case .moveToSoftware: try enclave.move(to: .software, passcode: descriptors[0])
        case .moveToTPM: try enclave.move(to: .tpm, passcode: descriptors[0])
        case .authenticate, .capabilities, .setCredential, .setTerminal, .invalidate:
            var reader = WireReader(SecretBytes(copying: body))
            try perform(aboutUser: call.operation, &reader, descriptors, into: answer)
        case .wrapGuardedRowKey, .unwrapGuardedRowKey:
            guard let accessibility = call.accessibility else { throw .malformed("the class of an enclave request") }
            var reader = WireReader(SecretBytes(copying: body))
            try perform(onGuardedRow: call.operation, accessibility, &reader, into: answer)
        case .details, .unlockWith, .replacePasscode, .addSlot, .addSlotWith, .removeSlot, .changeSettings:
            var reader = WireReader(SecretBytes(copying: body))
            try perform(call.operation, &reader, descriptors, into: answer)
        case .renewMark, .acceptStore:
            var reader = WireReader(SecretBytes(copying: body))
            try perform(aboutAge: call.operation, &reader, descriptors, into: answer)
        case .makeKey, .importKey, .useKey, .checkKey, .rebindKey:
            var reader = WireReader(SecretBytes(copying: body))
            try perform(call.operation, &reader, into: answer)
        }
    }

    private func perform(
        _ operation: EnclaveOperation, _ accessibility: Accessibility, _ body: Span<UInt8>, into answer: SecretBuffer
    ) throws(Refusal) {
        switch operation {
        case .makeMetadataKey:
            let (key, wrapped) = try enclave.makeMetadataKey(for: accessibility)
            answer.append(key)
            answer.append(wrapped.span)
        case .unwrapMetadataKey:
            answer.append(try enclave.unwrapMetadataKey(body.array(0, body.count), for: accessibility))
        default: try enclave.wrapRowKeys(body, for: accessibility, into: answer)
        }
    }
}

// MARK: - Sealed keys

extension EnclaveDispatcher {
    private func perform(
        _ operation: EnclaveOperation, _ body: inout WireReader, into answer: SecretBuffer
    ) throws(Refusal) {
        if operation == .checkKey {
            let key = try body.last { (body) throws(Refusal) in try SealedKey(from: &body) }
            return try enclave.checkKey(key)
        }
        try perform(operation, in: try body.context(), &body, into: answer)
    }

    private func perform(
        _ operation: EnclaveOperation, in context: AuthenticationContext?, _ body: inout WireReader,
        into answer: SecretBuffer
    ) throws(Refusal) {
        switch operation {
        case .makeKey:
            let binding = try body.last { (body) throws(Refusal) in try KeyBinding(from: &body) }
            try enclave.makeKey(binding, in: context).append(to: answer)
        case .importKey:
            let (type, binding) = (try body.integer(UInt8.self), try KeyBinding(from: &body))
            let key = try body.last { (body) throws(Refusal) in try body.secret(atMost: KeyLimits.privateKeyBytes) }
            try enclave.importKey(key, type: type, binding, in: context).append(to: answer)
        case .useKey:
            let key = try SealedKey(from: &body)
            let use = try body.last { (body) throws(Refusal) in try KeyUse(from: &body) }
            answer.append(try enclave.useKey(key, use, in: context))
        default:
            let key = try SealedKey(from: &body)
            let binding = try body.last { (body) throws(Refusal) in try KeyBinding(from: &body) }
            try enclave.rebindKey(key, to: binding, in: context).append(to: answer)
        }
    }
}

extension WireReader {
    /// Reads the last part of a body.
    mutating func last<Part>(
        _ read: (inout WireReader) throws(Refusal) -> Part
    ) throws(Refusal) -> Part {
        let part = try read(&self)
        guard isAtEnd else { throw .malformed("the end of an enclave request") }
        return part
    }
}

extension SecretBuffer {
    fileprivate func append(_ secret: SecretBytes) { secret.withSpan { append($0) } }
}
