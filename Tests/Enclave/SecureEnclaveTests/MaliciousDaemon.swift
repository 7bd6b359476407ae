import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// A daemon in wrong hands: it speaks the channel's protocol itself, and says whatever it likes.
struct MaliciousDaemon: Sendable {
    let channel: RawChannel

    /// The enclave's answer: its word, and its body.
    func call<Request, Answer>(
        _ call: EnclaveCall<Request, Answer>, for accessibility: Accessibility? = nil, slot: Int = 0,
        _ write: (SecretBuffer) -> Void = { _ in }
    ) throws -> (status: Int32, body: [UInt8]) {
        try perform(call.operation, for: accessibility, slot: slot, write)
    }

    func perform(
        _ operation: EnclaveOperation, for accessibility: Accessibility? = nil, slot: Int = 0,
        _ write: (SecretBuffer) -> Void = { _ in }
    ) throws -> (status: Int32, body: [UInt8]) {
        let (body, answer) = (SecretBuffer(), SecretBuffer())
        write(body)
        let request = body.withSpan { $0.array(0, $0.count) }
        let status = try channel.call(
            operation.word(for: accessibility), request, slot: slot, into: answer)
        return (status, answer.withSpan { $0.array(0, $0.count) })
    }

    /// Sends a passcode or a password along.
    func send<Request, Answer>(
        _ call: EnclaveCall<Request, Answer>, _ secret: String, _ body: [UInt8] = []
    ) throws -> Int32 {
        let passcode = try TestDevice.passcode(secret)
        try channel.socket.send(call.operation.word(), body.span, attaching: [passcode], deadline: soon)
        let answer = try #require(try channel.socket.receive(deadline: soon))
        return Int32(bitPattern: answer.word)
    }

    /// Has a user asked.
    func ask(_ task: AuthenticationTask, slot: Int = EnclaveChannelFormat.slots) throws -> Int32 {
        try call(EnclaveCalls.authenticate, slot: slot) { body in
            body.append(littleEndian: UInt32(20_000))
            task.append(to: body)
        }.status
    }

    /// Opens a guarded row; the key, when the enclave gives it.
    func open(
        _ wrapped: [UInt8], _ row: [UInt8], _ context: AuthenticationContext?,
        _ accessibility: Accessibility = .whenUnlocked
    ) throws -> (status: KeychainStatus, key: [UInt8]) {
        let (status, body) = try call(EnclaveCalls.unwrapGuardedRowKey, for: accessibility) { body in
            context.append(to: body)
            body.append(row.span)
            body.append(bytes: wrapped.span)
        }
        return (KeychainStatus(rawValue: status), status == 0 ? body : [])
    }

    func open(_ row: GuardedRow, _ context: AuthenticationContext?) throws -> KeychainStatus {
        try open(row.wrapped, row.identity, context).status
    }

    /// Has a row made as the honest engine does.
    func row(_ flags: UInt64, _ context: AuthenticationContext? = nil) throws -> GuardedRow {
        var row = GuardedRow(flags: flags)
        let (status, wrapped) = try call(EnclaveCalls.wrapGuardedRowKey, for: .whenUnlocked) { body in
            context.append(to: body)
            body.append(littleEndian: flags)
            body.append(row.identity.span)
            row.key.withSpan { body.append($0) }
        }
        try #require(status == 0)
        row.wrapped = wrapped
        return row
    }
}
