import KeychainModel
import LinuxSystem

/// Sockets that wait for the next request. A thread takes one for a request and puts it back.
final class ChannelPool: Sendable {
    private struct State {
        /// The process that opened them. A fork's child must leave them alone: it would read its parent's answers.
        var owner: Int32
        var idle: [Channel] = []
    }

    /// Not a `Lock`: a forked child would find it locked for ever if another thread held it.
    private let state: ProcessLocal<State>
    private let open: Connection.Opener
    private let process: @Sendable () -> Int32

    /// More than this many threads at once is rare, and a new socket costs no more than a few requests.
    private static let mostIdle = 8

    init(_ open: @escaping Connection.Opener, _ first: UnixSocket?, process: @escaping @Sendable () -> Int32) {
        self.open = open
        self.process = process
        state = ProcessLocal(State(owner: process(), idle: first.map { [Channel($0)] } ?? []))
    }

    /// Asks over a socket of the pool, or a new one.
    func ask(_ question: Channel.Question) throws(Channel.Failure) -> Channel.Answer {
        let channel = try take()
        do throws(Channel.Failure) {
            let answer = try channel.ask(question)
            putBack(channel)
            return answer
        } catch {
            switch error {
            // The others lead to the same daemon and are as dead as this one.
            case .notPerformed, .unknown: withState { $0.idle = [] }
            case .late, .refused: break
            }
            throw error
        }
    }

    private func take() throws(Channel.Failure) -> Channel {
        let idle = withState { state -> Channel? in
            let process = process()
            if state.owner != process { state = State(owner: process) }
            return state.idle.popLast()
        }
        if let idle { return idle }
        do throws(Refusal) { return Channel(try open()) } catch { throw .refused(error) }
    }

    private func putBack(_ channel: Channel) {
        withState { state in
            if state.idle.count < Self.mostIdle { state.idle.append(channel) }
        }
    }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        state.withValue(inChild: { _ in }, body)
    }
}
