import KeychainTesting
import LinuxSystem
import LocalAuthentication
import TestSupport
import Testing

/// The means of authentication, without a context.
@Suite("Environment") struct EnvironmentTests {
    private func state(of phone: Phone) -> LAEnvironment.State {
        phone.keychain.run { LAEnvironment.currentUser.state }
    }

    @Test("A device with a finger and a passcode has two usable mechanisms, and no companion")
    func both() throws {
        let state = state(of: try Phone())
        let (finger, passcode) = (try #require(state.biometry), try #require(state.userPassword))
        #expect(finger.isUsable && finger.isEnrolled && !finger.isLockedOut && !finger.builtInSensorInaccessible)
        #expect(finger.biometryType == .touchID)
        #expect(finger.stateHash.count == 32)
        #expect(passcode.isUsable && passcode.isSet)
        #expect(state.companions.isEmpty)
        #expect(state.allMechanisms.map(\.localizedName) == ["Fingerprint", "Passcode"])
        #expect(state.allMechanisms.map(\.iconSystemName) == ["auth-fingerprint", "dialog-password"])
    }

    @Test("What is missing is not usable, for the reason that the policy would give")
    func missing() throws {
        let noFinger = state(of: try Phone(fingers: []))
        #expect(noFinger.biometry?.isUsable == false)
        #expect(noFinger.biometry?.isEnrolled == false)
        #expect(noFinger.biometry?.stateHash == Data())
        let noReader = state(of: try Phone(hasSensor: false))
        #expect(noReader.biometry == nil)
        #expect(noReader.allMechanisms == [noReader.userPassword])
        let noPasscode = state(of: try Phone(hasPasscode: false))
        #expect(noPasscode.userPassword?.isSet == false)
        #expect(noPasscode.allMechanisms.allSatisfy { !$0.isUsable })
    }

    @Test("The state of the fingers is that of a context, and states are equal while nothing changes")
    func equality() throws {
        let phone = try Phone()
        let (first, second, context) = (state(of: phone), state(of: phone), LAContext())
        #expect(first == second && first.hash == second.hash)
        #expect(first.copy() as? LAEnvironment.State === first)
        #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithBiometrics, in: context) == nil)
        #expect(first.biometry?.stateHash == context.domainState.biometry.stateHash)
        phone.device.enrol(finger: "index")
        #expect(state(of: phone) != first)
    }

    @Test("An observer is told of a change, with what was before; one that was removed is not")
    func observers() async throws {
        let phone = try Phone()
        let (stays, goes, silent) = (Observer(), Observer(), SilentObserver())
        let before = state(of: phone)
        phone.keychain.run {
            for observer in [stays, goes] { LAEnvironment.currentUser.addObserver(observer) }
            LAEnvironment.currentUser.addObserver(stays)
            LAEnvironment.currentUser.addObserver(silent)
        }
        LAEnvironment.currentUser.removeObserver(goes)
        phone.device.enrol(finger: "index")
        #expect(await stays.told(1) == [before])
        phone.device.removeFinger("index")
        #expect(await stays.told(2).count == 2)
        #expect(goes.states.withLock { $0 }.isEmpty)
        LAEnvironment.currentUser.removeObserver(stays)
        LAEnvironment.currentUser.removeObserver(silent)
    }

    @Test("Nobody keeps an observer alive")
    func weak() throws {
        weak var gone: Observer?
        try Phone().keychain.run {
            let observer = Observer()
            gone = observer
            LAEnvironment.currentUser.addObserver(observer)
        }
        #expect(gone == nil)
    }
}

private final class Observer: NSObject, LAEnvironment.Observer, Sendable {
    let states = Lock<[LAEnvironment.State]>([])

    func environment(_ environment: LAEnvironment, stateDidChangeFromOldState oldState: LAEnvironment.State) {
        states.withLock { $0.append(oldState) }
    }

    /// The reports so far, once there are this many.
    func told(_ count: Int) async -> [LAEnvironment.State] {
        await eventuallyInTask { states.withLock { $0.count } >= count }
        return states.withLock { $0 }
    }
}

/// An observer with a closure for the call.
private final class SilentObserver: NSObject, LAEnvironment.Observer {}
