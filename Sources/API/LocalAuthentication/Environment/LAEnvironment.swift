internal import KeychainClient
internal import KeychainWire
private import LinuxSystem
internal import Security

/// The means by which a user can authenticate, with a report of each change.
///
/// ```swift
/// let fingers = LAEnvironment.currentUser.state.biometry
/// offer.isHidden = fingers?.isUsable != true
/// ```
///
/// The environment asks nobody and protects nothing: biometry that is usable now may be gone when it is needed.
///
/// Source: Apple, `LAEnvironment`. A class open for subclassing cannot prove that it is `Sendable`; a mutex guards the
/// observers of this one.
open class LAEnvironment: NSObject, @unchecked Sendable {
    private let observers = EnvironmentObservers()

    /// The environment of the user who runs the program.
    open class var currentUser: LAEnvironment { ofCurrentUser }

    private static let ofCurrentUser = LAEnvironment()

    override init() {}

    /// The current state. A keychain that cannot be reached has no biometry and no passcode.
    open var state: State { State(Self.capabilities ?? .none) }

    /// Reports to an observer, from now on, every state that differs from the one before.
    ///
    /// Fingerprint readers here do not report an enrolled finger. The environment therefore looks at the device every
    /// two seconds while an observer exists. A change that is undone in between is not seen. A thread of the module
    /// calls the observer.
    ///
    /// - Parameter observer: held weakly; the program keeps it alive.
    open func addObserver(_ observer: any Observer) { observers.add(observer, of: self) }

    /// Stops the reports to an observer. A call that is under way still arrives.
    open func removeObserver(_ observer: any Observer) { observers.remove(observer) }

    /// The device's state; nil when no keychain can be reached.
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
