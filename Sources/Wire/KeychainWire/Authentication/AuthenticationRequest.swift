package import KeychainModel

/// A request that may need the user: the frame kind ``FrameHeader/Kind/authentication``.
///
/// An item or key request is sent plainly first. When it is refused with `errSecAuthNeeded`, it is sent again inside
/// ``perform(_:context:prompt:)``, with whatever a prompt needs; the engine asks the user and answers as if it had been
/// asked plainly. A request that nobody guards never carries the weight.
package enum AuthenticationRequest: Sendable {
    /// → ``AuthenticationReply/capabilities(_:)``: what the device could ask for now.
    case capabilities
    /// → ``AuthenticationReply/evaluated(_:)``: asks the user for what is lacking, and keeps it in the context.
    case evaluate(AuthenticationPurpose, context: [UInt8], prompt: Prompt)
    /// → the reply of the request inside. With one descriptor: the application password.
    ///
    /// `context` is nil when the program gave none: what the user shows then serves this one request.
    case perform(Inner, context: [UInt8]?, prompt: Prompt)
    /// → ``AuthenticationReply/done``: ends a prompt that is open for the context, and forgets what was shown in it.
    case invalidate(context: [UInt8])
    /// → ``AuthenticationReply/circle(_:)``: changes the circle of machines, as far as the user agrees.
    case circle(CircleChange, prompt: Prompt)

    /// The milliseconds that a person may take. A pairing has two, on two machines.
    package var patience: UInt32 {
        if case .circle(.pair, _) = self { WireLimits.longestDeadline } else { WireLimits.promptDeadline }
    }

    package enum Inner: Sendable {
        case item(ItemRequest)
        case key(KeyRequest)
    }
}

/// The purpose of a prompt on behalf of an `LAContext`, or of a program whose items a lock hides.
package enum AuthenticationPurpose: Hashable, Sendable {
    /// The raw value of an `LAPolicy`.
    case policy(UInt8)
    /// The flags of an access control, and what is to be done with what it guards.
    case control(flags: UInt64, GuardedOperation)
    /// Unlocks the keychain with the passcode that the user types. Nothing is kept in the context; where the keychain
    /// is unlocked already, nobody is asked.
    case unlock
}

package enum AuthenticationReply: Sendable {
    case capabilities(AuthenticationCapabilities)
    case evaluated(AuthenticationResult)
    case item(ItemResponse)
    case key(KeyReply)
    /// Nil where the keychain belongs to no circle.
    case circle(SyncStatus?)
    case done
}

/// The factors that a device could ask its user for at the moment.
package struct AuthenticationCapabilities: Hashable, Sendable {
    package var biometry: BiometryStatus
    package var passcodeIsSet: Bool

    package init(biometry: BiometryStatus, passcodeIsSet: Bool) {
        (self.biometry, self.passcodeIsSet) = (biometry, passcodeIsSet)
    }
}

/// The device's biometry.
package struct BiometryStatus: Hashable, Sendable {
    package enum State: UInt8, Sendable {
        /// There is no sensor, or nothing that speaks with one.
        case unavailable = 0
        case notEnrolled = 1
        case ready = 2
        /// After too many misses only the passcode helps.
        case lockedOut = 3
    }

    package var state: State
    /// 32 bytes that change with every finger that comes or goes; empty when none is enrolled.
    package var enrolment: [UInt8]

    package init(state: State, enrolment: [UInt8]) { (self.state, self.enrolment) = (state, enrolment) }

    package static let none = BiometryStatus(state: .unavailable, enrolment: [])
}

/// The factors that the user has shown, when a purpose was met.
package struct AuthenticationResult: Hashable, Sendable {
    package var factors: AuthenticationFactors
    /// The enrolment that a finger was matched with; empty without one.
    package var enrolment: [UInt8]

    package init(factors: AuthenticationFactors, enrolment: [UInt8]) {
        (self.factors, self.enrolment) = (factors, enrolment)
    }
}
