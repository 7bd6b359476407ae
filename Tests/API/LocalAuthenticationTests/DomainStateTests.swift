import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// The state of the device's biometry in a context (rule authentication.biometry.state).
@Suite("Domain state") struct DomainStateTests {
    private let phone: Phone

    init() throws { phone = try Phone() }

    @Test(
        "Before a context has looked, it knows nothing; afterwards, the kind of biometry and the state of its fingers")
    func filledIn() throws {
        let context = LAContext()
        #expect(context.biometryType == .none)
        #expect(context.evaluatedPolicyDomainState == nil)
        #expect(context.domainState.stateHash == nil)
        #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithBiometrics, in: context) == nil)
        #expect(context.biometryType == .touchID)
        #expect(context.evaluatedPolicyDomainState?.count == 32)
        let state = context.domainState
        #expect(state.biometry.biometryType == .touchID)
        #expect(state.biometry.stateHash == context.evaluatedPolicyDomainState)
        #expect(state.stateHash == state.biometry.stateHash)
    }

    @Test("There are no companions, and so no state of theirs")
    func companions() {
        let companion = LAContext().domainState.companion
        #expect(companion.availableCompanionTypes.isEmpty)
        #expect(companion.stateHash == nil)
        #expect(companion.stateHash(for: .watch) == nil)
    }

    @Test(
        "The state is the same from context to context until a finger comes or goes",
        .rule("authentication.biometry.state"))
    func changes() {
        func state() -> Data? {
            let context = LAContext()
            #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithBiometrics, in: context) == nil)
            return context.domainState.biometry.stateHash
        }
        let first = state()
        #expect(state() == first)
        phone.device.enrol(finger: "index")
        let second = state()
        #expect(second != first)
        phone.device.removeFinger("index")
        #expect(state() != second)
    }

    @Test("A reader without fingers is Touch ID, without a state")
    func noFinger() throws {
        let (phone, context) = (try Phone(fingers: []), LAContext())
        #expect(phone.obstacle(to: .deviceOwnerAuthenticationWithBiometrics, in: context) == .biometryNotEnrolled)
        #expect(context.biometryType == .touchID)
        #expect(context.domainState.biometry.stateHash == nil)
        #expect(context.evaluatedPolicyDomainState == nil)
    }

    @Test("Without a reader there is no biometry", .rule("authentication.biometry.missing"))
    func noReader() throws {
        let (phone, context) = (try Phone(hasSensor: false), LAContext())
        #expect(phone.obstacle(to: .deviceOwnerAuthentication, in: context) == nil)
        #expect(context.biometryType == .none)
    }

    @Test("An evaluation that a finger met tells the state; one that the passcode met does not")
    func evaluated() async {
        let (byFinger, byPasscode) = (LAContext(), LAContext())
        phone.user.will(.touch("thumb"), .fallback, .passcode(Phone.passcode))
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: byFinger) == nil)
        #expect(await phone.failure(of: .deviceOwnerAuthentication, in: byPasscode) == nil)
        #expect(byFinger.evaluatedPolicyDomainState?.count == 32)
        #expect(byPasscode.evaluatedPolicyDomainState == nil)
    }
}
