import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import Synchronization

/// Socket, shared memory and slots of a connection, and the watch over the enclave's life.
final class EnclaveChannel: Sendable {
    /// A passcode waits for its pipe, for other processes' passcodes and for the derivation.
    private static let passcodeDeadline = 60_000

    private let socket: EnclaveSocket
    private let memory: SharedMemory
    private let slots: [IdleSlot]
    private let promptSlots: PromptSlots
    private let passcodes = Lock(())
    private let isClosed = Atomic(false)
    /// The enclave's, as it shows it here.
    let epoch: StateEpoch
    /// Milliseconds for a call through a slot, which waits for nothing but the disk.
    private let timeout: Int

    private final class IdleSlot: Sendable {
        let slot: EnclaveSlot
        let isBusy = Lock(AdaptiveSpin())
        init(_ slot: EnclaveSlot) { self.slot = slot }
    }

    init(_ socket: UnixSocket, timeout: Int) throws(Refusal) {
        self.socket = EnclaveSocket(socket)
        self.timeout = timeout
        do throws(SystemError) {
            memory = try SharedMemory(count: EnclaveChannelFormat.memorySize)
        } catch { throw .noEnclave(error) }
        slots = (0..<EnclaveChannelFormat.slots).map { [memory] in IdleSlot(EnclaveSlot($0, in: memory)) }
        promptSlots = PromptSlots(in: memory)
        epoch = StateEpoch(memory.word(at: EnclaveChannelFormat.epochOffset))
    }

    /// Says hello, and watches from then on. `ended` is called when the enclave has gone and all waiting calls have
    /// returned.
    func open(ended: @escaping @Sendable () -> Void) throws(Refusal) {
        let hello = EnclaveCalls.hello.word()
        _ = try sendFiles([memory.descriptor], hello, EnclaveChannelFormat.hello.span)
        do throws(SystemError) {
            _ = try Thread(named: "enclave-watch") { [self] in
                // Waits for nothing but the hang-up, which is always reported.
                try? socket.socket.descriptor.wait(for: [], deadline: .never)
                close()
                ended()
            }
        } catch { throw .noEnclave(error) }
    }

    /// Ends the channel, and with it the enclave.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        shutdown(socket.socket.descriptor.number, CInt(SHUT_RDWR))
        for slot in slots { slot.slot.close() }
        promptSlots.close()
    }
}

// MARK: - Calls

extension EnclaveChannel {
    /// Calls through a slot; the body of the answer is appended to `answer`, which stays as it was when this throws.
    func call(_ word: UInt32, _ body: Span<UInt8>, into answer: SecretBuffer) throws(Refusal) {
        try receive(into: answer, after: body) { () throws(EnclaveSlot.Failure) in
            try withFreeSlot { (slot, spin) throws(EnclaveSlot.Failure) in
                let deadline = Deadline.after(milliseconds: timeout)
                return try slot.call(word, body, into: answer, &spin, deadline: deadline)
            }
        }
    }

    /// The same for a call that waits for a person. The enclave answers at the deadline at the latest.
    ///
    /// - Throws: also `errSecNotAvailable` (`keychain.deadline`) when so many others wait that the call was not made.
    func callForPrompt(
        _ word: UInt32, _ body: Span<UInt8>, into answer: SecretBuffer, by deadline: Deadline
    ) throws(Refusal) {
        guard let number = promptSlots.take(by: deadline) else { throw .expired }
        defer { promptSlots.giveBack(number) }
        try receive(into: answer, after: body) { () throws(EnclaveSlot.Failure) in
            if isClosed.load(ordering: .sequentiallyConsistent) { throw .closed }
            // The enclave still checks an answer that was typed just before the deadline. The check waits for other
            // processes' passcodes, as a passcode does.
            let grace = deadline.later(byMilliseconds: Self.passcodeDeadline)
            // A person takes longer than any spin.
            var spin = AdaptiveSpin()
            return try promptSlots[number].call(word, body, into: answer, &spin, deadline: grace)
        }
    }

    private func receive(
        into answer: SecretBuffer, after body: Span<UInt8>, _ call: () throws(EnclaveSlot.Failure) -> UInt32
    ) throws(Refusal) {
        guard body.count <= EnclaveChannelFormat.bodyLimit else { throw .malformed("an enclave request") }
        let start = answer.count
        let status: UInt32
        do { status = try call() } catch {
            close()
            throw error == .timedOut ? .silentEnclave : .endedEnclave
        }
        guard status == 0 else {
            let refusal = Refusal(decoding: answer.copy(from: start), status: Int32(bitPattern: status))
            answer.truncate(to: start)
            throw refusal
        }
    }

    /// Lends a slot that no other thread uses, or waits for one.
    private func withFreeSlot(
        _ body: (EnclaveSlot, inout AdaptiveSpin) throws(EnclaveSlot.Failure) -> UInt32
    ) throws(EnclaveSlot.Failure) -> UInt32 {
        // After the end a slot may look idle again, because the enclave answered while it was closed.
        if isClosed.load(ordering: .sequentiallyConsistent) { throw .closed }
        for slot in slots {
            let result = try slot.isBusy.withLockIfAvailable { (spin) throws(EnclaveSlot.Failure) in
                try body(slot.slot, &spin)
            }
            if let result { return result }
        }
        return try slots[0].isBusy.withLock { (spin) throws(EnclaveSlot.Failure) in
            try body(slots[0].slot, &spin)
        }
    }

    /// Sends files through the socket, and gives the body of the answer.
    func sendFiles(_ files: [FileDescriptor], _ word: UInt32, _ body: Span<UInt8>) throws(Refusal) -> SecretBytes {
        try passcodes.withLock { (_) throws(Refusal) in
            guard let answer = try exchange(word, body, files) else {
                close()
                throw .endedEnclave
            }
            guard answer.word == 0 else { throw Refusal(decoding: answer.body, status: Int32(bitPattern: answer.word)) }
            return answer.body
        }
    }

    private func exchange(
        _ word: UInt32, _ body: Span<UInt8>, _ descriptors: [FileDescriptor]
    ) throws(Refusal) -> EnclaveSocket.Message? {
        let deadline = Deadline.after(milliseconds: Self.passcodeDeadline)
        do {
            try socket.send(word, body, attaching: descriptors, deadline: deadline)
            return try socket.receive(deadline: deadline)
        } catch {
            close()
            throw error.code == ETIMEDOUT ? .silentEnclave : .endedEnclave
        }
    }
}

extension Refusal {
    fileprivate static var endedEnclave: Refusal {
        Refusal(
            .notAvailable, .unavailable, "enclave", "The enclave's process has ended.",
            do: "Try again; the log of the keychain daemon says why the enclave ended.")
    }

    fileprivate static var silentEnclave: Refusal {
        Refusal(
            .notAvailable, .deadline, "enclave", "The enclave did not answer in time, and was given up.",
            do: "Try again: the keychain is opened again.")
    }

    static func noEnclave(_ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "enclave", "The enclave cannot be started (\(error)).",
            do: "Check that keychain-enclaved is in the daemon's folder and that the system has room for a process."
        )
    }
}
