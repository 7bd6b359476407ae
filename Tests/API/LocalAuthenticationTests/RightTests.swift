import KeychainTesting
import LinuxSystem
import LocalAuthentication
import TestSupport
import Testing

/// Rights that are not saved (rule authentication.right.states).
@Suite("Rights") struct RightTests {
    private let phone: Phone

    init() throws { phone = try Phone() }

    private func authorize(_ right: LARight) async -> LAError.Code? {
        await phone.keychain.run { await code { try await right.authorize(localizedReason: "to test") } }
    }

    @Test(
        "A new right is unknown, tagged 0, and becomes authorized once the user has shown himself",
        .rule("authentication.right.states"))
    func granted() async {
        let right = LARight()
        #expect(right.state == .unknown)
        #expect(right.tag == 0)
        right.tag = 7
        #expect(right.tag == 7)
        phone.user.will(.touch("thumb"))
        #expect(await authorize(right) == nil)
        #expect(right.state == .authorized)
        #expect(phone.user.questions.map(\.reason) == ["to test"])
    }

    @Test("While the user is asked the state is authorizing; others who authorize the right get the same answer")
    func authorizing() async {
        let right = LARight()
        phone.user.will(.wait)
        async let first = authorize(right)
        #expect(await phone.wasAsked(1))
        #expect(right.state == .authorizing)
        async let second = authorize(right)
        await phone.keychain.run { await right.deauthorize() }
        #expect(await first == .appCancel)
        let other = await second
        #expect(other == .appCancel || other == .notInteractive)
        #expect(right.state == .notAuthorized)
    }

    @Test("A right that is refused is notAuthorized, says why, and can be authorized later")
    func refused() async {
        let right = LARight()
        phone.user.will(.cancel, .touch("thumb"))
        #expect(await authorize(right) == .userCancel)
        #expect(right.state == .notAuthorized)
        #expect(await authorize(right) == nil)
        #expect(right.state == .authorized)
    }

    @Test("A right that is granted still asks nobody again; one that was given back asks")
    func givenBack() async {
        let right = LARight()
        phone.user.will(.touch("thumb"), .touch("thumb"))
        #expect(await authorize(right) == nil)
        #expect(await authorize(right) == nil)
        #expect(phone.asked == [.finger])
        await right.deauthorize()
        #expect(right.state == .notAuthorized)
        #expect(await authorize(right) == nil)
        #expect(phone.asked == [.finger, .finger])
    }

    @Test("A right announces that it was refused, granted and given back; giving it back again changes nothing")
    func announced() async {
        let right = LARight()
        let names = Lock<[Notification.Name]>([])
        let tokens = [Notification.Name.LARightDidBecomeAuthorized, .LARightDidBecomeUnauthorized].map { name in
            NotificationCenter.default.addObserver(forName: name, object: right, queue: nil) { note in
                names.withLock { $0.append(note.name) }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        phone.user.will(.cancel, .touch("thumb"))
        #expect(await authorize(right) == .userCancel)
        #expect(await authorize(right) == nil)
        await right.deauthorize()
        await right.deauthorize()
        #expect(
            names.withLock { $0 }
                == [.LARightDidBecomeUnauthorized, .LARightDidBecomeAuthorized, .LARightDidBecomeUnauthorized])
    }

    @Test("The requirement decides what is asked for")
    func requirements() async throws {
        let passcode = SimulatedUser.Answer.passcode(Phone.passcode)
        let cases: [(LAAuthenticationRequirement, [SimulatedUser.Answer], LAError.Code?)] = [
            (.default, [.fallback, passcode], nil),
            (.biometry, [.touch("thumb")], nil),
            (.biometry, [.fallback], .userFallback),
            (.biometryCurrentSet, [.touch("thumb")], nil),
            (.biometryCurrentSet, [.fallback], .userFallback),
            (.biometry(fallback: .default), [.fallback, passcode], nil),
            (.biometry(fallback: .devicePasscode), [.fallback, passcode], nil),
        ]
        for (requirement, answers, expected) in cases {
            phone.user.reset()
            for answer in answers { phone.user.will(answer) }
            #expect(await authorize(LARight(requirement: requirement)) == expected)
            #expect(phone.user.unusedAnswers == 0)
        }
    }

    @Test("checkCanAuthorize says what is lacking, and asks nobody")
    func check() async throws {
        let noFinger = try Phone(fingers: [])
        #expect(
            await noFinger.keychain.run { await code { try await LARight().checkCanAuthorize() } } == nil)
        #expect(
            await noFinger.keychain.run { await code { try await LARight(requirement: .biometry).checkCanAuthorize() } }
                == .biometryNotEnrolled)
        let bare = try Phone(hasPasscode: false, hasSensor: false)
        #expect(
            await bare.keychain.run { await code { try await LARight().checkCanAuthorize() } } == .passcodeNotSet)
        #expect(noFinger.asked.isEmpty && bare.asked.isEmpty)
    }

    @Test("A right that knows its fingers is refused after one came")
    func otherFingers() async {
        let right = LARight(requirement: .biometryCurrentSet)
        phone.user.will(.touch("thumb"), .touch("thumb"))
        #expect(await authorize(right) == nil)
        await right.deauthorize()
        phone.device.enrol(finger: "index")
        #expect(await authorize(right) == .authenticationFailed)
        #expect(right.state == .notAuthorized)
    }

    @Test("The forms with completion handlers tell the same, once")
    func handlers() async {
        let (right, phone) = (LARight(), phone)
        phone.user.will(.cancel)
        let failure: LAError.Code? = await withCheckedContinuation { continuation in
            phone.keychain.run {
                right.authorize(localizedReason: "to test") { continuation.resume(returning: ($0 as? LAError)?.code) }
            }
        }
        #expect(failure == .userCancel)
        let obstacle: (any Error)? = await withCheckedContinuation { continuation in
            phone.keychain.run { right.checkCanAuthorize { continuation.resume(returning: $0) } }
        }
        #expect(obstacle == nil)
        await withCheckedContinuation { continuation in right.deauthorize { continuation.resume() } }
        #expect(right.state == .notAuthorized)
    }

    @Test("Requirements are equal when the user must do the same")
    func equality() {
        #expect(LAAuthenticationRequirement.biometry(fallback: .default) == .default)
        #expect(LAAuthenticationRequirement.biometry(fallback: .devicePasscode) != .default)
        #expect(LAAuthenticationRequirement.biometry != .biometryCurrentSet)
        #expect(LARight.State.notAuthorized.rawValue == 3)
    }
}
