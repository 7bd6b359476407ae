import KeychainWire
package import LinuxSystem

/// One slot of shared memory to the enclave: a word to wait on, and space for one message at a time.
///
///     slot  = state:u32 zero:60 message
///     state = 0 idle, or answered | 1 asked | 2 closed
///
/// It costs half of what a socket does. Neither end believes the other: lengths are copied before
/// they are checked, bodies before they are read. The daemon wipes the slot when it has read the answer.
package struct EnclaveSlot: Sendable {
    static let headOffset = 64
    static let bodyOffset = headOffset + EnclaveChannelFormat.headSize

    private enum State {
        static let idle: UInt32 = 0
        static let asked: UInt32 = 1
        static let closed: UInt32 = 2
    }

    private let memory: SharedMemory
    private let base: Int
    private let state: SharedWord

    /// The slot with this number, from 0, in memory of ``EnclaveChannelFormat/memorySize`` bytes.
    package init(_ number: Int, in memory: SharedMemory) {
        self.memory = memory
        base = number * EnclaveChannelFormat.slotSize
        state = memory.word(at: base)
    }

    /// Ends all waiting, here and at the other end, for good.
    package func close() {
        state.store(State.closed)
        state.wake(count: .max)
    }

    /// Why a call got no answer.
    package enum Failure: Error { case closed, timedOut, malformed }

    private func wait(while current: UInt32, _ spin: inout AdaptiveSpin, deadline: Deadline) -> Bool {
        if spin.spin(until: { state.load() != current }) { return true }
        while state.load() == current {
            if !state.wait(while: current, deadline: deadline) { return state.load() != current }
        }
        return true
    }
}

// MARK: - The daemon's end

extension EnclaveSlot {
    /// Asks and waits for the answer, whose body is appended to `answer`. One thread at a time.
    ///
    /// - Parameter body: at most ``EnclaveChannelFormat/bodyLimit`` bytes.
    /// - Returns: the word of the answer.
    package func call(
        _ word: UInt32, _ body: Span<UInt8>, into answer: SecretBuffer, _ spin: inout AdaptiveSpin, deadline: Deadline
    ) throws(Failure) -> UInt32 {
        write(word, body)
        var used = body.count
        defer { memory.wipe(at: base + Self.bodyOffset, count: used) }
        guard state.exchange(State.asked) == State.idle else {
            close()
            throw .closed
        }
        state.wake()
        guard wait(while: State.asked, &spin, deadline: deadline) else { throw .timedOut }
        guard state.load() == State.idle else { throw .closed }
        let head = readHead()
        guard head.length <= EnclaveChannelFormat.bodyLimit else { throw .malformed }
        used = max(used, head.length)
        answer.append(count: head.length) { memory.read(at: base + Self.bodyOffset, into: &$0) }
        return head.word
    }

    private func write(_ word: UInt32, _ body: Span<UInt8>) {
        var head = InlineArray<8, UInt8>(repeating: 0)
        for index in 0..<4 {
            head[index] = UInt8(truncatingIfNeeded: body.count >> (8 * index))
            head[index + 4] = UInt8(truncatingIfNeeded: word >> (8 * UInt32(index)))
        }
        memory.write(head.span, at: base + Self.headOffset)
        memory.write(body, at: base + Self.bodyOffset)
    }

    private func readHead() -> (length: Int, word: UInt32) {
        var head = InlineArray<8, UInt8>(repeating: 0)
        var span = head.mutableSpan
        memory.read(at: base + Self.headOffset, into: &span)
        return (Int(head.span.littleEndian(UInt32.self, at: 0)), head.span.littleEndian(UInt32.self, at: 4))
    }
}

// MARK: - The enclave's end

extension EnclaveSlot {
    /// Waits for a request, whose body replaces what is in `request`.
    ///
    /// - Returns: the word of the request; `nil` when the slot was closed or the daemon broke the format.
    package func next(into request: SecretBuffer, _ spin: inout AdaptiveSpin) -> UInt32? {
        while state.load() == State.idle { _ = wait(while: State.idle, &spin, deadline: .never) }
        guard state.load() == State.asked else { return nil }
        let head = readHead()
        guard head.length <= EnclaveChannelFormat.bodyLimit else { return nil }
        request.removeAll()
        request.append(count: head.length) { memory.read(at: base + Self.bodyOffset, into: &$0) }
        return head.word
    }

    /// Answers the request.
    ///
    /// - Parameter body: at most ``EnclaveChannelFormat/bodyLimit`` bytes.
    package func answer(_ word: UInt32, _ body: Span<UInt8>) {
        write(word, body)
        if state.exchange(State.idle) == State.closed { return close() }
        state.wake()
    }
}
