import KeychainModel
import KeychainWire
import LinuxSystem

/// Sockets that wait for the next request. A thread takes one for a request and puts it back.
final class ChannelPool: Sendable {
    /// A forked child has none: over its parent's it would read its parent's answers.
    private let idle: ProcessLocal<[Channel]>
    private let open: Connection.Opener
    private let introduces: Bool

    /// More than this many threads at once is rare, and a new socket costs no more than a few requests.
    private static let mostIdle = 8

    init(_ open: @escaping Connection.Opener, _ first: UnixSocket?, introduces: Bool) {
        (self.open, self.introduces) = (open, introduces)
        idle = ProcessLocal(first.map { [Channel($0, introduces: introduces)] } ?? [])
    }

    /// Asks over a socket of the pool, or a new one.
    func ask(_ question: Channel.Question, _ body: some FrameBody) throws(Channel.Failure) -> Channel.Answer {
        let channel = try take(by: question.end)
        do throws(Channel.Failure) {
            let answer = try channel.ask(question.shortened(), body)
            putBack(channel)
            return answer
        } catch {
            switch error {
            // The others lead to the same daemon and are as dead as this one.
            case .notPerformed, .unknown: withIdle { $0 = [] }
            case .late, .refused: break
            }
            throw error
        }
    }

    private func take(by deadline: Deadline) throws(Channel.Failure) -> Channel {
        while let channel = withIdle({ $0.popLast() }) {
            if channel.hasItsSocket { return channel }
        }
        do throws(Refusal) { return Channel(try open(deadline), introduces: introduces) } catch {
            throw .refused(error)
        }
    }

    private func putBack(_ channel: Channel) {
        withIdle { idle in
            if idle.count < Self.mostIdle { idle.append(channel) }
        }
    }

    private func withIdle<Result>(_ body: (inout [Channel]) -> Result) -> Result {
        idle.withValue(inChild: { $0 = [] }, body)
    }
}
