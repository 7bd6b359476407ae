import LinuxSystem

/// Looks at programs that may hold up who looks, by a file system or memory that they serve themselves. Each look has a
/// thread of its own, which is waited for no longer than a moment.
final class BoundedLooks: Sendable {
    /// Longer than the keychain takes for a program's file: milliseconds.
    static let patience = 2_000 * DebugPatience.factor
    /// So many threads may hang. While they do, nobody is looked at.
    static let mostHanging = 4

    private let patience: Int
    private let running = Lock(0)

    /// - Parameter patience: milliseconds.
    init(patience: Int = patience) { self.patience = patience }

    /// Takes a look; nil where it does not end in time, or where too many have not ended.
    func take<Found: Sendable>(_ look: @escaping @Sendable () -> Found) -> Found? {
        guard begin() else { return nil }
        let found = Monitor<Found?>(nil)
        let thread = try? Thread(named: "look") { [self] in
            let result = look()
            end()
            found.update { $0 = result }
        }
        guard thread != nil else {
            end()
            return nil
        }
        return found.wait(deadline: .after(milliseconds: patience)) { $0 }
    }

    private func begin() -> Bool {
        running.withLock { count in
            guard count < Self.mostHanging else { return false }
            count += 1
            return true
        }
    }

    private func end() { running.withLock { $0 -= 1 } }
}
