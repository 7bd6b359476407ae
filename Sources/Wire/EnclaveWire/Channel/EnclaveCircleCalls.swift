package import KeychainModel
package import KeychainWire
package import LinuxSystem
import SyncFormat

// MARK: - The circle

extension EnclaveCalls {
    /// → 0:u8 | 1:u8 state.
    package static let circle = EnclaveCall<EmptyMessage, CircleStateMessage>(80) { (call, _) throws(Refusal) in
        CircleStateMessage(try call.enclave.circle())
    }

    /// milliseconds:u32 context prompt (0:u8|1:u8 circle:16) name:text → 1:u8 state. It waits for a person.
    package static let enterCircle = EnclaveCall<AskedChange<CircleEntry>, CircleStateMessage>(81) {
        (call, asked) throws(Refusal) in
        CircleStateMessage(
            try call.session.asking(asked) { (question, deadline) throws(Refusal) in
                let entry = asked.request
                return try call.enclave.enterCircle(entry.circle, name: entry.name, asking: question, by: deadline)
            })
    }

    /// Files: the batch without its sealed part.
    package static let takeBatch = EnclaveCall<EmptyMessage, EmptyMessage>(82, files: 1) { (call, _) throws(Refusal) in
        try call.enclave.takeBatch(try CircleFile.array(call.files[0], CircleFile.carriedBytes))
        return EmptyMessage()
    }

    /// Files: the batch without its sealed part.
    package static let seekKeys = EnclaveCall<EmptyMessage, EmptyMessage>(113, files: 1) { (call, _) throws(Refusal) in
        try call.enclave.seekKeys(try CircleFile.array(call.files[0], CircleFile.carriedBytes))
        return EmptyMessage()
    }

    /// header:136 → nothing. Files: the content, room for the sealed part.
    package static let sealContent = EnclaveCall<BytesMessage, EmptyMessage>(83, files: 2) {
        (call, header) throws(Refusal) in
        let content = try CircleFile.secret(call.files[0], SyncLimits.sealedBytes)
        let sealed = try call.enclave.sealContent(content, header: header.bytes)
        try CircleFile.fill(call.files[1], SecretBytes(copying: sealed.span))
        return EmptyMessage()
    }

    /// header:136 → nothing. Files: the sealed part, room for the content.
    package static let openContent = EnclaveCall<BytesMessage, EmptyMessage>(84, files: 2) {
        (call, header) throws(Refusal) in
        let sealed = try CircleFile.array(call.files[0], SyncLimits.sealedBytes)
        try CircleFile.fill(call.files[1], try call.enclave.openContent(sealed, header: header.bytes))
        return EmptyMessage()
    }

    /// hash:32 → signature:64. Files: header and statements.
    package static let signBatch = EnclaveCall<BytesMessage, BytesMessage>(87, files: 1) {
        (call, hash) throws(Refusal) in
        guard hash.bytes.count == BatchHash.size else { throw .malformed("the hash of a sealed part") }
        let head = try CircleFile.array(call.files[0], CircleFile.carriedBytes)
        return BytesMessage(try call.enclave.signBatch(head: head, sealedHash: BatchHash(hash.bytes)))
    }

    /// → statement.
    package static let makeGeneration = EnclaveCall<EmptyMessage, StatementsMessage>(89) { (call, _) throws(Refusal) in
        StatementsMessage([try call.enclave.makeGeneration()])
    }

    /// generation:16 count:u8 *(member:16) → statement.
    package static let shareGeneration = EnclaveCall<GenerationSharing, StatementsMessage>(90) {
        (call, request) throws(Refusal) in
        StatementsMessage([try call.enclave.shareGeneration(request.generation, with: request.members)])
    }

    /// milliseconds:u32 context prompt signing:65 agreement:65 name:text → statements. It waits for a person.
    package static let addMachine = EnclaveCall<AskedChange<MachineAddition>, StatementsMessage>(91) {
        (call, asked) throws(Refusal) in
        StatementsMessage(
            try call.session.asking(asked) { (question, deadline) throws(Refusal) in
                let request = asked.request
                return try call.enclave.addMachine(request.keys, name: request.name, asking: question, by: deadline)
            })
    }

    /// milliseconds:u32 context prompt member:16 count:u8 *(kept:16) → statements. It waits for a person.
    package static let removeMachine = EnclaveCall<AskedChange<MachineRemoval>, StatementsMessage>(92) {
        (call, asked) throws(Refusal) in
        StatementsMessage(
            try call.session.asking(asked) { (question, deadline) throws(Refusal) in
                let request = asked.request
                return try call.enclave.removeMachine(
                    request.member, keeping: request.kept, asking: question, by: deadline)
            })
    }

    /// milliseconds:u32 context prompt name:text → 1:u8 state. It waits for a person.
    package static let resetCircle = EnclaveCall<AskedChange<MachineName>, CircleStateMessage>(112) {
        (call, asked) throws(Refusal) in
        CircleStateMessage(
            try call.session.asking(asked) { (question, deadline) throws(Refusal) in
                try call.enclave.resetCircle(name: asked.request.name, asking: question, by: deadline)
            })
    }

    /// milliseconds:u32 context prompt → nothing. It waits for a person.
    package static let leaveCircle = EnclaveCall<AskedChange<EmptyMessage>, EmptyMessage>(100) {
        (call, asked) throws(Refusal) in
        try call.session.asking(asked) { (question, deadline) throws(Refusal) in
            try call.enclave.leaveCircle(asking: question, by: deadline)
        }
        return EmptyMessage()
    }
}

extension BoxedRecord: EnclaveMessage {
    package init(from reader: inout WireReader) throws(Refusal) { self.init(try reader.array(Self.size)) }
    package func append(to buffer: SecretBuffer) { buffer.append(bytes.span) }
}

/// The files of a circle's calls, whose bytes are too many for a slot: memory files of fixed size, or pipes.
enum CircleFile {
    /// A batch without its sealed part.
    static let carriedBytes = SyncHeader.size + SyncLimits.openBytes + BatchHash.size + SyncBatch.signatureSize
    /// Milliseconds that the writer of a pipe may take.
    private static let timeout = 10_000

    static func secret(_ file: FileDescriptor, _ limit: Int) throws(Refusal) -> SecretBytes {
        do { return try PasscodeFile.read(file, limit: limit, deadline: .after(milliseconds: timeout)) } catch {
            throw .malformed("a file of the circle")
        }
    }

    static func array(_ file: FileDescriptor, _ limit: Int) throws(Refusal) -> [UInt8] {
        try secret(file, limit).withSpan { $0.array(0, $0.count) }
    }

    static func fill(_ file: FileDescriptor, _ bytes: SecretBytes) throws(Refusal) {
        do { try PasscodeFile.fill(file, with: bytes) } catch { throw .malformed("the room for an answer") }
    }
}
