package import KeychainModel
package import KeychainWire
package import LinuxSystem
import SyncFormat

// MARK: - Pairing

extension EnclaveCalls {
    /// → message.
    package static let beginPairing = EnclaveCall<EmptyMessage, BytesMessage>(93) { (call, _) throws(Refusal) in
        BytesMessage(try call.enclave.beginPairing())
    }

    /// milliseconds:u32 context prompt → nothing. It waits for a person.
    package static let showDigits = EnclaveCall<AskedChange<EmptyMessage>, EmptyMessage>(94) {
        (call, asked) throws(Refusal) in
        try call.session.asking(asked) { (question, deadline) throws(Refusal) in
            try call.enclave.showDigits(asking: question, by: deadline)
        }
        return EmptyMessage()
    }

    /// length:u32 positions name:text tokenLength:u32 token message → message. Positions are written as in a welcome.
    package static let answerPairing = EnclaveCall<PairingAnswer, BytesMessage>(95) { (call, answer) throws(Refusal) in
        BytesMessage(
            try call.enclave.answerPairing(
                answer.message, name: answer.name, positions: answer.positions, token: answer.token))
    }

    /// milliseconds:u32 context prompt message → message. It waits for a person.
    package static let joinPairing = EnclaveCall<AskedChange<BytesMessage>, BytesMessage>(96) {
        (call, asked) throws(Refusal) in
        BytesMessage(
            try call.session.asking(asked) { (question, deadline) throws(Refusal) in
                try call.enclave.joinPairing(asked.request.bytes, asking: question, by: deadline)
            })
    }

    /// message → welcome.
    package static let finishPairing = EnclaveCall<BytesMessage, WelcomeMessage>(97) {
        (call, message) throws(Refusal) in
        WelcomeMessage(try call.enclave.finishPairing(message.bytes))
    }

    /// name:text → message.
    package static let introduce = EnclaveCall<MachineName, BytesMessage>(98) { (call, request) throws(Refusal) in
        BytesMessage(try call.enclave.introduce(name: request.name))
    }

    /// milliseconds:u32 context prompt message → statements. It waits for a person.
    package static let addPaired = EnclaveCall<AskedChange<BytesMessage>, StatementsMessage>(99) {
        (call, asked) throws(Refusal) in
        StatementsMessage(
            try call.session.asking(asked) { (question, deadline) throws(Refusal) in
                try call.enclave.addPaired(asked.request.bytes, asking: question, by: deadline)
            })
    }
}

// MARK: - Recovery

extension EnclaveCalls {
    /// milliseconds:u32 context prompt → statements. It waits for a person.
    package static let makeRecoveryKey = EnclaveCall<AskedChange<EmptyMessage>, StatementsMessage>(108) {
        (call, asked) throws(Refusal) in
        StatementsMessage(
            try call.session.asking(asked) { (question, deadline) throws(Refusal) in
                try call.enclave.makeRecoveryKey(asking: question, by: deadline)
            })
    }

    /// → nothing.
    package static let forgetOffers = EnclaveCall<EmptyMessage, EmptyMessage>(109) { (call, _) throws(Refusal) in
        try call.enclave.forgetOffers()
        return EmptyMessage()
    }

    /// Files: the batch.
    package static let offerBatch = EnclaveCall<EmptyMessage, EmptyMessage>(110, files: 1) {
        (call, _) throws(Refusal) in
        // A part is larger than a batch can be.
        try call.enclave.offerBatch(try CircleFile.array(call.files[0], SyncLimits.partBytes))
        return EmptyMessage()
    }

    /// milliseconds:u32 context prompt name:text → statements. It waits for a person.
    package static let recoverCircle = EnclaveCall<AskedChange<MachineName>, StatementsMessage>(111) {
        (call, asked) throws(Refusal) in
        StatementsMessage(
            try call.session.asking(asked) { (question, deadline) throws(Refusal) in
                try call.enclave.recoverCircle(name: asked.request.name, asking: question, by: deadline)
            })
    }
}

/// length:u32 positions name:text tokenLength:u32 token message
package struct PairingAnswer: EnclaveMessage, Sendable {
    let message: [UInt8]
    let name: String
    let positions: [SyncPosition]
    let token: SecretBytes
}

extension PairingAnswer {
    package init(from reader: inout WireReader) throws(Refusal) {
        do { positions = try SyncPosition.list(decoding: try reader.bytes(atMost: SyncPosition.mostBytes)) } catch {
            throw .malformed("the positions of a pairing")
        }
        name = try reader.text()
        token = try reader.secret(atMost: PairingWelcome.tokenBytes)
        message = try reader.array(reader.remaining)
    }

    package func append(to buffer: SecretBuffer) {
        let positions = SyncPosition.encoded(positions)
        buffer.append(bytes: positions.span)
        buffer.append(text: name)
        token.withSpan { buffer.append(bytes: $0) }
        buffer.append(message.span)
    }
}

/// name:text
package struct MachineName: EnclaveMessage, Sendable {
    let name: String
}

extension MachineName {
    package init(from reader: inout WireReader) throws(Refusal) { name = try reader.text() }
    package func append(to buffer: SecretBuffer) { buffer.append(text: name) }
}

/// welcome, as the newcomer has opened it
package struct WelcomeMessage: EnclaveMessage, Sendable {
    let welcome: PairingWelcome

    init(_ welcome: PairingWelcome) { self.welcome = welcome }

    package init(from reader: inout WireReader) throws(Refusal) {
        do { welcome = try PairingWelcome(decoding: try reader.secret(reader.remaining)) } catch {
            throw .malformed("the enclave's welcome")
        }
    }

    package func append(to buffer: SecretBuffer) { welcome.encoded().withSpan { buffer.append($0) } }
}
