internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// The observations of this process: one for each observed keychain.
enum DeviceStateObservers {
    typealias Continuation = AsyncStream<KeychainState>.Continuation

    /// A forked child begins without observations: the threads stayed with its parent.
    private static let watches = ProcessLocal<[ObjectIdentifier: StateWatch]>([:])

    /// Reports every state of the current task's keychain to a reader, until the reader ends.
    static func subscribe(_ continuation: Continuation) {
        let source = KeychainSession.source()
        let key = KeychainSession.scoped.map { ObjectIdentifier($0 as AnyObject) } ?? ObjectIdentifier(StateWatch.self)
        let watch = watches.withValue(inChild: { $0 = [:] }) { watches in
            let watch = watches[key] ?? StateWatch(source)
            watches[key] = watch
            return watch
        }
        watch.add(continuation) { remove(key, watch) }
    }

    private static func remove(_ key: ObjectIdentifier, _ watch: StateWatch) {
        watches.withValue(inChild: { $0 = [:] }) { watches in
            if watches[key] === watch, watch.isIdle { watches[key] = nil }
        }
    }
}

/// One thread that asks a keychain for its next state while it has listeners.
final class StateWatch: Sendable {
    /// The duration of one request in milliseconds. It bounds how long the thread outlives its last listener.
    private static let timeout: UInt32 = 5000
    /// The interval before an unreachable keychain is asked again, in milliseconds.
    private static let pause = 1000

    private struct State {
        var listeners: [UInt64: DeviceStateObservers.Continuation] = [:]
        var next: UInt64 = 0
        var last: KeychainState?
        var isRunning = false
    }

    private let state = Monitor(State())
    private let source: KeychainSession.Source

    init(_ source: @escaping KeychainSession.Source) { self.source = source }

    var isIdle: Bool { state.update { $0.listeners.isEmpty } }

    /// Adds a listener. `ended` is called when the last one has gone.
    func add(_ continuation: DeviceStateObservers.Continuation, ended: @escaping @Sendable () -> Void) {
        let (number, starts) = state.update { state -> (UInt64, Bool) in
            state.next += 1
            state.listeners[state.next] = continuation
            if let last = state.last { continuation.yield(last) }
            defer { state.isRunning = true }
            return (state.next, !state.isRunning)
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.update { $0.listeners[number] = nil }
            ended()
        }
        if starts { start() }
    }

    private func start() {
        do throws(SystemError) { _ = try Thread(named: "keychain-state") { [self] in run() } } catch {
            // No thread could be started: no listener gets a report.
            let listeners = state.update { state in
                state.isRunning = false
                return Array(state.listeners.values)
            }
            for listener in listeners { listener.finish() }
        }
    }

    private func run() {
        var seen: UInt32?
        while goesOn() {
            do throws(Refusal) {
                // The first request is answered at once.
                let request = DeviceRequest.watch(epoch: seen ?? 0, milliseconds: seen == nil ? 0 : Self.timeout)
                guard case .news(let news) = try source().device(request, passcodes: []) else {
                    throw .malformed("the state")
                }
                seen = news.epoch
                tell(KeychainState(news.status))
            } catch {
                seen = nil
                _ = state.wait(deadline: .after(milliseconds: Self.pause)) { $0.listeners.isEmpty ? () : nil }
            }
        }
    }

    /// Whether there are listeners; the thread ends without them.
    private func goesOn() -> Bool {
        state.update { state in
            if state.listeners.isEmpty { (state.isRunning, state.last) = (false, nil) }
            return state.isRunning
        }
    }

    private func tell(_ news: KeychainState) {
        let listeners = state.update { state -> [DeviceStateObservers.Continuation] in
            guard state.last != news else { return [] }
            state.last = news
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(news) }
    }
}
