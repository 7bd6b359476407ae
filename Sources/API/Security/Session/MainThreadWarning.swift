internal import Dispatch
internal import Foundation
internal import Synchronization

/// Says in debug builds, once in a process, that the user is asked from the main thread: it stands still until he has
/// answered.
enum MainThreadWarning {
    /// To be called where the user is about to be asked.
    static func sayIfNeeded() {
        #if DEBUG
            guard isMain, !wasSaid.exchange(true, ordering: .relaxed) else { return }
            FileHandle.standardError.write(Data((text + "\n").utf8))
        #endif
    }

    #if DEBUG
        /// The first thread, or the one that now serves the main queue, and with it the main actor: a program with an
        /// asynchronous `main` has ended its first thread.
        private static var isMain: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueue) != nil }

        private static let mainQueue = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        private static let wasSaid = Atomic<Bool>(false)

        private static let text = """
            Security: this call waits for the user, and it was made on the main thread, which stands still meanwhile. \
            Make it on another thread, or `await` it with SecurityAsync (said once, in debug builds only).
            """
    #endif
}
