import CLinux
import Glibc

/// The events of a descriptor. The numbers are those of `poll` and `epoll`, which agree.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There is data to read, or a connection to accept.
    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// A write would not block.
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// Both directions are closed (always reported).
    package static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
    /// The descriptor failed (always reported).
    package static let failure = Readiness(rawValue: EPOLLERR.rawValue)
}

/// Waits for many descriptors at once (epoll, level-triggered): the core of an event loop.
///
/// Belongs to the thread that waits. Closing a descriptor removes it.
@safe package final class Epoll {
    private let descriptor: FileDescriptor
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// The maximum number of descriptors that one wait reports.
    package var capacity: Int { unsafe events.count }

    /// Makes an empty set that reports at most `capacity` descriptors per wait.
    ///
    /// - Throws: `SystemError` of `epoll_create1`: too many open files.
    package init(capacity: Int = 64) throws(SystemError) {
        let number = try retrying("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) }
        descriptor = FileDescriptor(owning: number)
        unsafe events = .allocate(capacity: capacity)
        unsafe events.initialize(repeating: epoll_event())
    }

    deinit { unsafe events.deallocate() }

    /// Begins to watch a descriptor; `token` identifies it in ``wait(deadline:_:)``.
    ///
    /// - Throws: `SystemError` of `epoll_ctl`.
    package func add(_ watched: FileDescriptor, for readiness: Readiness, token: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_ADD, watched, readiness, token)
    }

    /// Changes the events that a descriptor is watched for.
    ///
    /// - Throws: `SystemError` of `epoll_ctl`.
    package func modify(_ watched: FileDescriptor, for readiness: Readiness, token: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_MOD, watched, readiness, token)
    }

    /// Stops watching a descriptor.
    ///
    /// - Throws: `SystemError` of `epoll_ctl`.
    package func remove(_ watched: FileDescriptor) throws(SystemError) { try control(EPOLL_CTL_DEL, watched, [], 0) }

    /// Waits until something is ready and passes each ready descriptor's token to `body`.
    ///
    /// - Returns: the number of ready descriptors; 0 when the deadline passed.
    /// - Throws: `SystemError` of `epoll_wait`.
    @discardableResult
    package func wait(deadline: Deadline, _ body: (_ token: UInt64, _ readiness: Readiness) -> Void) throws(SystemError)
        -> Int
    {
        let ready = try retrying("epoll_wait") {
            unsafe epoll_wait(descriptor.number, events.baseAddress, CInt(events.count), deadline.remainingMilliseconds)
        }
        for index in 0..<Int(ready) {
            let event = unsafe events[index]
            unsafe body(event.data.u64, Readiness(rawValue: event.events))
        }
        return Int(ready)
    }

    private func control(
        _ operation: CInt, _ watched: FileDescriptor, _ readiness: Readiness, _ token: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event(events: readiness.rawValue, data: epoll_data_t(u64: token))
        _ = try retrying("epoll_ctl") { unsafe epoll_ctl(descriptor.number, operation, watched.number, &event) }
    }
}
