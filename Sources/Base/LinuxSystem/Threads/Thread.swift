import CLinux
import Glibc
import Synchronization

/// A thread of the system, for work that may block or must respond at once.
package final class Thread: Sendable {
    private let handle: pthread_t
    private let isGivenUp = Atomic(false)

    /// Starts a thread, and waits until it runs. A starting thread needs system calls that it never needs again, so
    /// that a later filter of system calls need not allow them.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes, for debuggers and `ps`.
    ///   - body: the work; the thread ends when it returns.
    /// - Throws: `SystemError` of `pthread_create`: too many threads.
    package init(named name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let work = Work(name: name, body: body)
        let passed = unsafe Unmanaged.passRetained(work)
        var handle = pthread_t()
        let code = unsafe pthread_create(&handle, nil, { unsafe runWork($0) }, passed.toOpaque())
        guard code == 0 else {
            unsafe passed.release()
            throw SystemError(code: code, call: "pthread_create")
        }
        self.handle = handle
        work.hasStarted.wait { $0 ? () : nil }
    }

    deinit { if !isGivenUp.load(ordering: .relaxed) { pthread_detach(handle) } }

    /// Waits until the thread has ended. Only the first call waits; a thread that is never joined releases its
    /// resources itself.
    package func join() {
        guard !isGivenUp.exchange(true, ordering: .relaxed) else { return }
        pthread_join(handle, nil)
    }
}

private final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void
    let hasStarted = Monitor(false)

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
    // For a name that is too long, only the name is missing.
    _ = unsafe clinux_name_thread(work.name)
    work.hasStarted.update { $0 = true }
    work.body()
    return nil
}
