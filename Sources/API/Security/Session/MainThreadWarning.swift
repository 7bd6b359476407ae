internal import Dispatch
internal import Foundation
internal import Synchronization

/// Warns in debug builds, once in a process, of a prompt on the main thread, which blocks until the user has answered.
enum MainThreadWarning {
    /// Call this before a prompt.
    static func sayIfNeeded() {
        #if DEBUG
            guard isMain, !wasSaid.exchange(true, ordering: .relaxed) else { return }
            FileHandle.standardError.write(Data((text + "\n").utf8))
        #endif
    }

    #if DEBUG
        /// The first thread, or the thread that serves the main queue and the main actor. In a program with an
        /// asynchronous `main` the first thread has ended.
        private static var isMain: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueue) != nil }

        private static let mainQueue = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        private static let wasSaid = Atomic<Bool>(false)

        private static let text = """
            Security: this call waits for the user, and it blocks the main thread. \
            Make it on another thread, or `await` it with SecurityAsync (said once, in debug builds only).
            """
    #endif
}
