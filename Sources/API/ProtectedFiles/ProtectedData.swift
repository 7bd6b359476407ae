internal import FileAccess
public import Foundation
internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem
internal import Security

/// Whether files of class ``ProtectedFile/Protection/complete`` are open, and when that changes.
///
///     for await isAvailable in ProtectedData.changes where !isAvailable { forgetPages() }
///
/// Source: Apple, `UIApplication.isProtectedDataAvailable` and its notifications, which Linux has no type for.
public enum ProtectedData {
    /// Whether the files are open now. A keychain that cannot be reached has none open.
    public static var isAvailable: Bool {
        guard let state = try? KeychainState.current else { return false }
        return state.lock == .unlocked
    }

    /// Whether the files are open now, and then each change. The sequence ends with the task that reads it, and at once
    /// where the keychain cannot be watched.
    ///
    /// Open files have forgotten their keys when it says false. A program with the keychain inside hears within a
    /// second of what another process has done; calls on files are refused at once.
    public static var changes: AsyncStream<Bool> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            guard let watch = try? LockWatch.of(KeychainSession.current()) else { return continuation.finish() }
            let last = Lock<Bool?>(nil)
            let listener = try? watch.listen { state in
                let now = state == .unlocked
                if last.withLock({ last in exchange(&last, now) }) != now { continuation.yield(now) }
            }
            guard let listener else { return continuation.finish() }
            continuation.onTermination = { _ in watch.remove(listener) }
        }
    }

    /// Posted when the files have been closed. Here that is after the lock, not before it: a lock takes effect at once.
    ///
    /// Reading this name, or that of the other notification, begins to post both in this process. They come from a
    /// thread of their own. Source: Apple, `UIApplication.protectedDataWillBecomeUnavailableNotification`.
    public static var protectedDataWillBecomeUnavailableNotification: Notification.Name {
        Announcer.begin()
        return Announcer.unavailable
    }

    /// Posted when the files are open again.
    ///
    /// Source: Apple, `UIApplication.protectedDataDidBecomeAvailableNotification`.
    public static var protectedDataDidBecomeAvailableNotification: Notification.Name {
        Announcer.begin()
        return Announcer.available
    }
}

private func exchange(_ value: inout Bool?, _ new: Bool) -> Bool? {
    defer { value = new }
    return value
}

/// Posts the notifications for each keychain that somebody has asked about.
private enum Announcer {
    static let unavailable = Notification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
    static let available = Notification.Name("UIApplicationProtectedDataDidBecomeAvailable")

    /// The threads that post stay with the parent of a forked child.
    private static let watched = ProcessLocal<Set<ObjectIdentifier>>([])

    /// One that cannot be watched now is tried again by the next reader of a name.
    static func begin() {
        guard let keychain = try? KeychainSession.current() else { return }
        watched.withValue(inChild: { $0 = [] }) { watched in
            guard !watched.contains(ObjectIdentifier(keychain)) else { return }
            let last = Lock<Bool?>(nil)
            let listener = try? LockWatch.of(keychain).listen { state in
                let now = state == .unlocked
                let before = last.withLock { last in exchange(&last, now) }
                guard let before, before != now else { return }
                NotificationCenter.default.post(name: now ? available : unavailable, object: nil)
            }
            if listener != nil { watched.insert(ObjectIdentifier(keychain)) }
        }
    }
}
