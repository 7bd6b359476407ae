import Glibc
import KeychainClient
import LinuxSystem

/// The right to be the one daemon of a store: two would have two lock states. It lasts as long as the process.
struct StoreOwner {
    private let lock: ProcessLock
    private let store: String
    /// The file that says so. Without it nobody finds this daemon, and another could begin.
    let path: String
    var file: FileStatus { lock.status }

    /// How long a daemon that ends may still have the store: milliseconds.
    private static let patience = 5000
    private static let pause: UInt32 = 20_000

    /// Takes the store; nil when another daemon serves it at the same socket. One that has stopped gives way, and one
    /// that ends is waited for.
    ///
    /// - Parameter log: takes a line when one has given way.
    /// - Throws: `SystemError` of `open` or `fcntl`; `EBUSY` when another daemon serves the store elsewhere, or a
    ///   process keeps it without serving it.
    static func take(_ store: String, for own: String, log: (String) -> Void) throws(SystemError) -> StoreOwner? {
        let path = DaemonLink.path(in: store)
        // A backup made of hard links has the file of the store that it is of.
        if try DaemonLink.isOfAnotherStore(store) { try AtomicFile.remove(path) }
        var deadline = Deadline.after(milliseconds: patience)
        while true {
            if let lock = try ProcessLock(path) { return StoreOwner(lock: lock, store: store, path: path) }
            let holder = try DaemonLink.holder(of: store)
            let predecessor = holder?.socket.flatMap { Predecessor(at: $0, holder?.process) }
            if let predecessor {
                guard predecessor.giveWay() else { return try beside(holder, own, store) }
            } else if deadline.hasPassed {
                guard try Predecessor.endStopped(holder?.process) else { throw notServing(path, holder?.process) }
                deadline = .after(milliseconds: patience)
            } else {
                usleep(pause)
                continue
            }
            log("The daemon before this one had stopped, and was ended.")
        }
    }

    private static func beside(_ holder: DaemonLink.Holder?, _ own: String, _ store: String) throws(SystemError)
        -> StoreOwner?
    {
        if holder?.socket == own { return nil }
        throw busy("the daemon at \(holder?.socket ?? "another place") serves the keychain in \(store)")
    }

    private static func notServing(_ path: String, _ process: Int32?) -> SystemError {
        let name =
            switch process ?? -1 {
            case 0: "a process outside of this container"
            // A lock of another kind has no owner.
            case ..<0: "a process"
            case let number: "process \(number)"
            }
        return busy("\(name) has locked \(path), and its socket is not there: end the process")
    }

    private static func busy(_ advice: String) -> SystemError {
        SystemError(code: EBUSY, call: "fcntl", advice: advice)
    }

    /// Whether a file is one of the store's; true too where that cannot be known, as without a descriptor to list them.
    func has(_ file: FileStatus) -> Bool {
        do throws(SystemError) {
            for name in try FolderEntries.names(in: store) {
                if try FileStatus(ofLink: "\(store)/\(name)")?.isSameFile(as: file) == true { return true }
            }
            return false
        } catch { return true }
    }

    /// Says where this daemon listens.
    ///
    /// - Throws: `SystemError` of `write`: nobody would find the daemon.
    func publish(_ socket: String) throws(SystemError) {
        try lock.write(lines: try DaemonLink.lines(of: store, socket: socket))
    }
}
