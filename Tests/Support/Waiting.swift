import Glibc
package import LinuxSystem
package import Testing

/// How long a test waits at most for what must happen: milliseconds.
///
/// A wait ends as soon as its condition holds, so a long limit costs nothing: it only ends a test that hangs. It holds
/// on machines that are many times slower than most; the environment's KEYCHAIN_TEST_PATIENCE multiplies it.
package let patience = Int(120_000 * (number("KEYCHAIN_TEST_PATIENCE") ?? 1))

/// When a test gives up to wait for what must happen.
package var soon: Deadline { .after(milliseconds: patience) }

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs in a wait without a deadline of its own.
    package static var patient: Self { .timeLimit(.minutes(max(1, 2 * patience / 60_000))) }
}

/// How often a test repeats something: `long` where the environment's KEYCHAIN_TEST_FORM is `long`, else `gate`, which
/// has a case of each kind.
package func full(_ long: Int, gate: Int) -> Int { text("KEYCHAIN_TEST_FORM") == "long" ? long : gate }

private func number(_ variable: String) -> Double? { text(variable).flatMap { Double($0) } }

private func text(_ variable: String) -> String? {
    guard let value = unsafe getenv(variable) else { return nil }
    return unsafe String(cString: value)
}

/// Waits until a condition holds, and looks at it every few milliseconds.
///
/// - Parameters:
///   - deadline: when to give up.
///   - condition: the condition; it may be called once more after the deadline.
/// - Returns: whether it held in time.
@discardableResult
package func eventually(by deadline: Deadline = soon, _ condition: () throws -> Bool) rethrows -> Bool {
    while try !condition() {
        if deadline.hasPassed { return false }
        usleep(2000)
    }
    return true
}

/// The same for a task, which does not hold its thread meanwhile.
@discardableResult
package func eventuallyInTask(
    by deadline: Deadline = soon, _ condition: () throws -> Bool
) async rethrows -> Bool {
    while try !condition() {
        if deadline.hasPassed { return false }
        // A task that is cancelled goes on looking until the deadline.
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// The seconds of a processor that `body` takes on this thread, whatever other processes do meanwhile.
package func processorTime(_ body: () throws -> Void) rethrows -> Double {
    let start = Clock.threadNanoseconds
    try body()
    return Double(Clock.threadNanoseconds - start) / 1e9
}

/// Lets time pass where that is what a test is about: the age of something, or the moment of a kill.
package func letPass(microseconds: UInt32) { usleep(microseconds) }
