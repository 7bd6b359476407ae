package import KeychainModel
import KeychainWire
package import LinuxSystem

/// Takes one line about something that was refused or went wrong; never a value.
package typealias ServerLog = @Sendable (_ line: String) -> Void

/// Answers keychain requests on unix sockets: event loops that read and answer, behind them one writer and a few
/// workers.
///
///     socket ─ loop ─ lookup ─────────────────────────→ answer        at once, on the loop's thread;
///                   └ search ─→ worker ────────────────→ mailbox ─ loop ─ answer;
///                   └ write ──→ writer (group commit) ─→ mailbox ─ loop ─ answer;
///                   └ device ─→ worker ────────────────→ mailbox ─ loop ─ answer
///
/// Wherever something waits it is due by whose it is (``FairQueue``), not by the connection it came through.
///
/// A connection's requests may be answered in any order; a client that needs an order waits for the answer.
package final class KeychainServer: Sendable {
    private let backend: WorkerThreads
    private let connectionCounter = ConnectionCounter()
    private let mailboxes: [Mailbox]
    private let threads: [Thread]

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - handler: what answers the requests.
    ///   - listeners: listening sockets that do not block, or other sources of connections. The server closes them
    ///     when it stops.
    ///   - registry: asked once per connection, when it is made or at its first request.
    ///   - files: takes the files that peers send.
    /// - Throws: the refusal of a request reader; `errSecNotAvailable` when there are too many open files or threads.
    package init(
        _ handler: any RequestHandler, on listeners: [any ConnectionSource], registry: any CallerRegistry,
        limits: ServerLimits = ServerLimits(), files: ForeignFiles = ForeignFiles(), log: @escaping ServerLog
    ) throws(Refusal) {
        do throws(SystemError) { backend = try WorkerThreads(handler, registry, limits: limits) } catch {
            throw .cannotServe(error)
        }
        do throws(Refusal) {
            let loops = try Self.makeLoops(handler, backend, listeners, registry, limits, connectionCounter, files, log)
            mailboxes = loops.map(\.router.mailbox)
            threads = try Self.start(loops)
        } catch {
            backend.finish()
            throw error
        }
    }

    /// Stops: no connection is accepted and no request read any more; requests that were read are finished and
    /// answered.
    package func stop() {
        for mailbox in mailboxes { mailbox.stop() }
        // A connection is closed when it is answered, and a watch may last for minutes.
        backend.endWatches()
        for thread in threads { thread.join() }
        backend.finish()
    }

    /// How many connections there are.
    package var connections: Int { connectionCounter.connections }

    /// For how long nobody has been connected, in nanoseconds; nil while somebody is.
    package var vacancy: UInt64? { connectionCounter.vacancy }

    private static func makeLoops(
        _ handler: any RequestHandler, _ backend: WorkerThreads, _ listeners: [any ConnectionSource],
        _ registry: any CallerRegistry,
        _ limits: ServerLimits, _ connectionCounter: ConnectionCounter, _ files: ForeignFiles,
        _ log: @escaping ServerLog
    ) throws(Refusal) -> [EventLoop] {
        var loops: [EventLoop] = []
        let rateLimits = RequestPaces(limits.requestRate)
        for _ in 0..<max(1, limits.loops) {
            let requestReader: any RequestReader = try handler.makeItemReader()
            do throws(SystemError) {
                let router = RequestRouter(
                    requestReader: requestReader, backend: backend, registry: registry, limits: limits,
                    mailbox: try Mailbox())
                loops.append(
                    try EventLoop(
                        router, on: listeners, limits: limits, connectionCounter: connectionCounter, files: files,
                        Claimants(rateLimits),
                        arrived: { handler.arrived($0) }, log: log))
            } catch { throw .cannotServe(error) }
        }
        return loops
    }

    private static func start(_ loops: [EventLoop]) throws(Refusal) -> [Thread] {
        var threads: [Thread] = []
        for loop in loops {
            do throws(SystemError) {
                threads.append(try Thread(named: "keychain-loop") { loop.run() })
            } catch {
                for loop in loops { loop.router.mailbox.stop() }
                for thread in threads { thread.join() }
                throw .cannotServe(error)
            }
        }
        return threads
    }
}

extension Refusal {
    fileprivate static func cannotServe(_ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "server", "The keychain cannot be served: \(error).",
            do: "Raise the limits on open files and threads (ulimit -n, ulimit -u).")
    }
}
