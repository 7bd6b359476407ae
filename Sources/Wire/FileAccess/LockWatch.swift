package import KeychainClient
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// An open file whose keys are wiped when its class is locked.
protocol LockedFile: AnyObject, Sendable {
    var protection: FileProtection { get }
    /// Forgets the keys. The next call fetches them again, if the keychain gives them.
    func wipe()
}

/// One thread for each keychain that waits for its state to change, while there are open files of classes A and C, or
/// others who listen. It wipes the keys of the files that a change closes.
///
/// No file relies on it for a refusal: each call asks the keychain itself. A keychain that does not answer counts as
/// locked.
package final class LockWatch: Sendable {
    /// Hears of each new state; nil for a keychain that does not answer.
    package typealias Listener = @Sendable (DeviceStatus.LockState?) -> Void

    /// The duration of one question in milliseconds: as late a program that has the keychain inside may notice
    /// what another process has done.
    private static let timeout: UInt32 = 1000

    private struct WeakFile {
        weak var file: (any LockedFile)?
    }

    private struct State {
        var files: [ObjectIdentifier: WeakFile] = [:]
        var listeners: [UInt64: Listener] = [:]
        var next: UInt64 = 0
        var isRunning = false

        var isIdle: Bool {
            mutating get {
                files = files.filter { $0.value.file != nil }
                return files.isEmpty && listeners.isEmpty
            }
        }
    }

    private let state = Monitor(State())
    private let keychain: any KeychainConnection

    private init(_ keychain: any KeychainConnection) { self.keychain = keychain }

    /// A forked child begins without any: the threads stayed with its parent.
    private static let all = ProcessLocal<[ObjectIdentifier: LockWatch]>([:])

    /// The one of a keychain.
    package static func of(_ keychain: any KeychainConnection) -> LockWatch {
        all.withValue(inChild: { $0 = [:] }) { all in
            let key = ObjectIdentifier(keychain)
            if let known = all[key] { return known }
            all = all.filter { !$0.value.state.update { $0.isIdle && !$0.isRunning } }
            let made = LockWatch(keychain)
            all[key] = made
            return made
        }
    }

    /// Adds a file until it is dropped.
    ///
    /// - Throws: `errSecNotAvailable` when no thread can be started.
    func add(_ file: some LockedFile) throws(Refusal) {
        guard file.protection.closesWithDevice else { return }
        try start { $0.files[ObjectIdentifier(file)] = WeakFile(file: file) }
    }

    /// Adds a listener until ``remove(_:)``.
    ///
    /// - Throws: as ``add(_:)``.
    package func listen(_ listener: @escaping Listener) throws(Refusal) -> UInt64 {
        try start { state in
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
    }

    /// Removes a listener.
    package func remove(_ listener: UInt64) { state.update { $0.listeners[listener] = nil } }

    private func start<Result>(_ add: (inout State) -> Result) throws(Refusal) -> Result {
        let (result, starts) = state.update { state -> (Result, Bool) in
            let result = add(&state)
            defer { state.isRunning = true }
            return (result, !state.isRunning)
        }
        guard starts else { return result }
        do throws(SystemError) { _ = try Thread(named: "keychain-files") { [self] in run() } } catch {
            state.update { $0.isRunning = false }
            throw .noWatch(error)
        }
        return result
    }

    private func run() {
        var seen: UInt32?
        while goesOn() {
            do throws(Refusal) {
                // The first question is answered at once.
                let request = DeviceRequest.watch(epoch: seen ?? 0, milliseconds: seen == nil ? 0 : Self.timeout)
                guard case .news(let news) = try keychain.device(request, passcodes: []) else {
                    throw .malformed("the state")
                }
                if news.epoch != seen { tell(news.status.lockState, wipesAll: seen != nil) }
                seen = news.epoch
            } catch {
                tell(nil, wipesAll: true)
                seen = nil
                _ = state.wait(deadline: .after(milliseconds: Int(Self.timeout))) { $0.isIdle ? () : nil }
            }
        }
    }

    private func goesOn() -> Bool {
        state.update { state in
            if state.isIdle { state.isRunning = false }
            return state.isRunning
        }
    }

    /// - Parameter wipesAll: whether the class may have been closed, although it is open now.
    private func tell(_ now: DeviceStatus.LockState?, wipesAll: Bool) {
        let (files, listeners) = state.update { state in
            (state.files.values.compactMap(\.file), Array(state.listeners.values))
        }
        for file in files where wipesAll || !(now.map { file.protection.isOpen($0) } ?? false) { file.wipe() }
        for listener in listeners { listener(now) }
    }
}

extension Refusal {
    fileprivate static func noWatch(_ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "thread",
            "The thread that wipes the keys of files when they are locked cannot be started: \(error).",
            do: "Let the program have more threads, or use class B or none.")
    }
}
