import Glibc
import KeychainModel
import LinuxSystem

/// The thread that waits for the answers that nobody else waits for, and asks what could not be asked at once.
extension QuestionTable {
    /// How long to wait until the identifier reads on: milliseconds. It reads whatever it looks at.
    private static let sendTime = 10

    /// Has the receiver look at what is open; it is started when it is first needed.
    func wakeReceiver(_ state: inout State) throws(Refusal) {
        if let wakeup = state.wakeup { return wakeup.signal() }
        do throws(SystemError) {
            let wakeup = try Wakeup()
            wakeup.signal()
            _ = try Thread(named: "keychain-answer") { [self] in serve(wakeup) }
            state.wakeup = wakeup
        } catch { throw .noReceiver(error) }
    }

    private func serve(_ wakeup: Wakeup) {
        while !state.withLock({ $0.isClosed }) {
            let isWaiting = sendWaiting()
            let (socket, deadline) = state.withLock { Self.outlook($0) }
            let retry = isWaiting ? min(deadline, .after(milliseconds: Self.sendTime)) : deadline
            let watched = [wakeup.descriptor, socket?.descriptor].compactMap(\.self)
            _ = try? FileDescriptor.waitForAny(of: watched, deadline: retry)
            wakeup.clear()
            if socket != nil { while !isAwaited, receive(by: .now) {} }
            expire()
        }
    }

    /// Whether a thread waits for an answer; it receives all others as well.
    private var isAwaited: Bool { state.withLock { $0.isAwaited } }

    /// The wait: for answers, if there are any that nobody else waits for, and until when.
    private static func outlook(_ state: State) -> (UnixSocket?, Deadline) {
        let left = state.entries.values.filter { !$0.isAwaited && $0.outcome == nil }
        let reads = !state.isAwaited && left.contains { $0.isSent }
        return (reads ? state.socket : nil, left.map(\.deadline).min() ?? .never)
    }

    /// Sends what could not be sent so far, in its order; whether the identifier does not take any more now.
    private func sendWaiting() -> Bool {
        while let (number, question, socket) = state.withLock({ Self.nextToSend(&$0) }) {
            do throws(SystemError) {
                try Self.send(question, number, through: socket, by: .after(milliseconds: Self.sendTime))
            } catch {
                if error.isEnd {
                    lose(socket)
                    continue
                }
                state.withLock { $0.entries[number]?.isSent = false }
                return true
            }
        }
        return false
    }

    /// It counts as sent from now on: the channel may be another one by the time it has been.
    private static func nextToSend(_ state: inout State) -> (UInt32, IdentifierQuestion, UnixSocket)? {
        guard let socket = state.socket else { return nil }
        let unsent = state.entries.filter { !$0.value.isSent && $0.value.outcome == nil }
        guard let (number, entry) = unsent.min(by: { $0.key < $1.key }) else { return nil }
        state.entries[number]?.isSent = true
        return (number, entry.question, socket)
    }

    private func expire() {
        tell(
            state.withLock { state in
                var deliveries: Deliveries = []
                for (number, entry) in state.entries
                where entry.deadline.hasPassed && entry.outcome == nil && !entry.isAwaited {
                    if !entry.isSent { state.lent[number] = nil }
                    let refusal: Refusal = entry.isSent ? .silentIdentifier : .absentIdentifier
                    deliveries += Self.settle(number, .failure(refusal), in: &state)
                }
                return deliveries
            })
    }
}
