internal import KeychainClient
internal import KeychainWire
private import LinuxSystem
internal import Security

/// What a user can authenticate with, and news of it when that changes.
///
/// ```swift
/// let fingers = LAEnvironment.currentUser.state.biometry
/// offer.isHidden = fingers?.isUsable != true
/// ```
///
/// Nothing here asks the user, and nothing protects: what is usable now may be gone when it is needed.
///
/// A class open for subclassing cannot prove itself `Sendable`; this one's observers are behind a mutex.
open class LAEnvironment: NSObject, @unchecked Sendable {
    private let observers = EnvironmentObservers()

    /// The environment of the user whom the program runs for.
    open class var currentUser: LAEnvironment { ofCurrentUser }

    private static let ofCurrentUser = LAEnvironment()

    override init() {}

    /// What there is now. A keychain that cannot be reached has no biometry, and no passcode that is set.
    open var state: State { State(Self.capabilities ?? .none) }

    /// Tells an observer from now on of every state that differs from the one before.
    ///
    /// The readers of this system do not say when a finger is enrolled, so the device is looked at every two seconds
    /// while somebody observes, and what changes back in between is not seen. The observer is called from a thread of
    /// the module's own.
    ///
    /// - Parameter observer: held weakly: the program keeps it alive.
    open func addObserver(_ observer: any Observer) { observers.add(observer, of: self) }

    /// Tells an observer no more, but for a call that is under way.
    open func removeObserver(_ observer: any Observer) { observers.remove(observer) }

    /// What the device has; nil when no keychain can be reached.
    static var capabilities: AuthenticationCapabilities? {
        guard let keychain = try? KeychainSession.current(),
            case .capabilities(let device)? = try? keychain.authentication(.capabilities, descriptors: [])
        else { return nil }
        return device
    }
}

extension LAEnvironment {
    /// Somebody who is told when what a user can authenticate with has changed.
    public protocol Observer: NSObjectProtocol {
        /// Called after a change; an observer need not implement it.
        ///
        /// - Parameters:
        ///   - environment: whose ``LAEnvironment/state`` is another now.
        ///   - oldState: what it was before.
        func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: State)
    }
}

extension LAEnvironment.Observer {
    /// Does nothing.
    public func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: LAEnvironment.State) {}
}

extension AuthenticationCapabilities {
    static let none = AuthenticationCapabilities(biometry: .none, passcodeIsSet: false)
}
