internal import KeychainWire
private import LinuxSystem

/// The observers of an environment. Each has a task, which asks the keychain of the code that added the observer.
final class EnvironmentObservers: Sendable {
    /// The services of fingerprint readers have no signal for an enrolled or removed finger.
    private static let pause = Duration.seconds(2)

    private struct Observation: Sendable {
        let observer: WeakObserver
        let task: Task<Void, Never>
    }

    private let observations = Lock<[Observation]>([])

    /// Adds an observer, unless it is there already.
    func add(_ observer: any LAEnvironment.Observer, of environment: LAEnvironment) {
        let (held, before) = (WeakObserver(observer), environment.state)
        observations.withLock { observations in
            observations.removeAll { $0.observer.object == nil }
            guard !observations.contains(where: { $0.observer.object === observer }) else { return }
            let task = Task { await Self.tell(held, of: environment, since: before) }
            observations.append(Observation(observer: held, task: task))
        }
    }

    func remove(_ observer: any LAEnvironment.Observer) {
        observations.withLock { observations in
            for observation in observations where observation.observer.object === observer { observation.task.cancel() }
            observations.removeAll { $0.observer.object == nil || $0.observer.object === observer }
        }
    }

    /// Looks repeatedly, until the observer is gone or removed.
    private static func tell(
        _ observer: WeakObserver, of environment: LAEnvironment, since before: LAEnvironment.State
    ) async {
        var known = before
        while await rest(), observer.object != nil {
            guard let device = await look(), !Task.isCancelled else { continue }
            let now = LAEnvironment.State(device)
            guard now != known else { continue }
            observer.object?.environment(environment, stateDidChangeFromOldState: known)
            known = now
        }
    }

    /// False when the task was cancelled.
    private static func rest() async -> Bool { (try? await Task.sleep(for: pause)) != nil }

    /// A call of the keychain may block, and threads of tasks must not.
    private static func look() async -> AuthenticationCapabilities? {
        await withCheckedContinuation { continuation in
            KeychainTask().run { continuation.resume(returning: LAEnvironment.capabilities) }
        }
    }
}

/// An observer that another object keeps alive. Other threads may call an observer, as on Apple's systems.
private final class WeakObserver: @unchecked Sendable {
    private(set) weak var object: (any LAEnvironment.Observer)?

    init(_ object: any LAEnvironment.Observer) { self.object = object }
}
