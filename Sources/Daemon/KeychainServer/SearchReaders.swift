import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// Searches that may take long, on threads that take turns with them. They share their request readers: what is not
/// needed is not opened.
final class SearchReaders: Sendable {
    /// How long a search lets the store be tidied up before it begins, milliseconds, and how often it looks,
    /// microseconds.
    private static let (courtesy, pause) = (250, 200 as UInt32)

    private let handler: any RequestHandler
    private let idle = Lock<[Reader]>([])

    /// A request reader on its way between threads; one of them has it at a time, which makes it safe to send.
    private struct Reader: @unchecked Sendable {
        let requestReader: any RequestReader
    }

    init(_ handler: any RequestHandler) { self.handler = handler }

    /// Performs searches until the queue is closed and empty.
    func serve(_ queue: WorkQueue<SearchJob>) {
        while let job = queue.next() {
            guard job.isWanted.isSo else {
                queue.finished(job)
                continue
            }
            switch perform(job, whileNobodyWaits: { queue.isAwaited }) {
            case .answered(let frame):
                queue.finished(job)
                job.reply.deliver(frame)
            case .goesOn(let place):
                var job = job
                job.place = place
                queue.putBack(job)
            }
        }
    }

    /// The result of a search's turn.
    private enum Outcome {
        case answered(SecretBytes)
        /// It has found nothing yet. Its client need not know of turns: it waits for the answer.
        case goesOn(SearchPlace)
    }

    private func perform(_ job: SearchJob, whileNobodyWaits isAwaited: @escaping () -> Bool) -> Outcome {
        guard !job.deadline.hasPassed else { return .answered(Refusal.expired.frame(id: job.id)) }
        let writer = ResponseWriter()
        do throws(Refusal) {
            let requestReader = try take()
            let place = readSlice(job, on: requestReader.requestReader, into: writer, whileNobodyWaits: isAwaited)
            requestReader.requestReader.endTransaction()
            idle.withLock { $0.append(requestReader) }
            if let place { return .goesOn(place) }
        } catch { writer.refuse(error, id: job.id) }
        return .answered(writer.buffer.finish())
    }

    private func readSlice(
        _ job: SearchJob, on requestReader: any RequestReader, into writer: ResponseWriter,
        whileNobodyWaits isAwaited: @escaping () -> Bool
    ) -> SearchPlace? {
        Self.makeWay(for: requestReader)
        var slice = Slice(from: Clock.monotonicNanoseconds)
        return requestReader.read(
            job.request, from: job.caller, id: job.id, by: job.deadline, into: writer, goingOnAt: job.place
        ) {
            // Looked at each time, so that it knows how long the beginning took.
            let isOver = slice.isOver(at: Clock.monotonicNanoseconds)
            return !job.isWanted.isSo || isAwaited() && isOver || requestReader.isInTheWay
        }
    }

    private static func makeWay(for requestReader: any RequestReader) {
        guard requestReader.isInTheWay else { return }
        let end = Deadline.after(milliseconds: courtesy)
        while requestReader.isInTheWay, !end.hasPassed { usleep(pause) }
    }

    /// How long a search goes on while others wait. Then its page ends with the items found, and its client asks for
    /// the next one; a search that has found nothing waits for its next turn. A page that took long to begin, because
    /// its rows had to be sorted, goes on for as long again. Each page sorts its rows again, so many short ones would
    /// take many times as long as one.
    struct Slice {
        private static let shortest = 1_000_000 as UInt64
        private let start: UInt64
        private var end: UInt64?

        /// - Parameter start: when the page was begun, in nanoseconds.
        init(from start: UInt64) { self.start = start }

        /// Whether it is time to end the page, asked whenever some rows have been read.
        mutating func isOver(at now: UInt64) -> Bool {
            let end = end ?? start + max(Self.shortest, 2 * (now - start))
            self.end = end
            return now >= end
        }
    }

    /// The request reader that was used last, so that one program has one.
    private func take() throws(Refusal) -> Reader {
        if let requestReader = idle.withLock({ $0.popLast() }) { return requestReader }
        return Reader(requestReader: try handler.makeItemReader())
    }
}
