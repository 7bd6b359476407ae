import Glibc
package import LinuxSystem

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

/// Lets time pass where that is what a test is about: the age of something, or the moment of a kill.
package func letPass(microseconds: UInt32) { usleep(microseconds) }
