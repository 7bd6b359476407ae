import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// Application passwords, given through a context (rule access-control.password.credential).
@Suite("Credentials") struct CredentialTests {
    private let phone: Phone
    private let item = GuardedItem()

    init() throws { phone = try Phone() }

    private func context(_ password: String) -> LAContext {
        let context = LAContext()
        context.setCredential(Data(password.utf8), type: .applicationPassword)
        return context
    }

    @Test("A password is set, replaced and taken away; an empty one and a smart card's number are not taken")
    func setting() {
        let context = LAContext()
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(Data("one".utf8), type: .applicationPassword))
        #expect(context.setCredential(Data("two".utf8), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(!context.setCredential(Data(), type: .applicationPassword))
        #expect(context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(!context.isCredentialSet(.applicationPassword))
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(!context.setCredential(Data("1234".utf8), type: .smartCardPIN))
        #expect(!context.setCredential(nil, type: .smartCardPIN))
        #expect(!context.isCredentialSet(.smartCardPIN))
    }

    @Test(
        "an item is added and read with the password of the context; nobody is asked",
        .rule("access-control.password.credential"))
    func roundTrip() throws {
        phone.keychain.run {
            #expect(item.add(.applicationPassword, in: context("from the server")) == errSecSuccess)
            #expect(item.read(in: context("from the server")) == (errSecSuccess, "secret"))
        }
        #expect(phone.asked.isEmpty)
    }

    @Test(
        "it works on a device without passcode and finger, which is what it is for",
        .rule("access-control.password.credential"))
    func bareDevice() throws {
        let phone = try Phone(hasPasscode: false, hasSensor: false)
        phone.keychain.run {
            #expect(item.add(.applicationPassword, in: context("from the server")) == errSecSuccess)
            #expect(item.read(in: context("from the server")).value == "secret")
            #expect(item.read(in: context("guessed")).status == errSecAuthFailed)
        }
    }

    @Test(
        "a wrong password is errSecAuthFailed; none, where nobody can be asked, errSecInteractionNotAllowed",
        .rule("access-control.password.credential", "access-control.password.wrong"))
    func wrongAndMissing() throws {
        let silent = LAContext()
        silent.interactionNotAllowed = true
        phone.keychain.run {
            #expect(item.add(.applicationPassword, in: silent) == errSecInteractionNotAllowed)
            #expect(SecCopyLastItemError()?.rule == "state.needs-password")
            #expect(item.add(.applicationPassword, in: context("right")) == errSecSuccess)
            #expect(item.read(in: context("wrong")).status == errSecAuthFailed)
            #expect(SecCopyLastItemError()?.rule == "state.wrong-password")
            #expect(item.read(in: silent).status == errSecInteractionNotAllowed)
            #expect(SecCopyLastItemError()?.rule == "state.needs-password")
        }
        #expect(phone.asked.isEmpty)
    }

    @Test("A password that is taken away opens nothing any more, and one that takes its place does")
    func takenAway() throws {
        let context = context("right")
        context.interactionNotAllowed = true
        phone.keychain.run {
            #expect(item.add(.applicationPassword, in: context) == errSecSuccess)
            #expect(item.read(in: context).value == "secret")
            context.setCredential(nil, type: .applicationPassword)
            #expect(item.read(in: context).status == errSecInteractionNotAllowed)
            context.setCredential(Data("wrong".utf8), type: .applicationPassword)
            #expect(item.read(in: context).status == errSecAuthFailed)
            context.setCredential(Data("right".utf8), type: .applicationPassword)
            #expect(item.read(in: context).value == "secret")
        }
    }

    @Test("A password with a constraint: both are needed")
    func both() throws {
        let context = context("right")
        phone.user.will(.touch("thumb"))
        phone.keychain.run {
            #expect(item.add([.userPresence, .applicationPassword], in: context) == errSecSuccess)
            #expect(item.read(in: context).value == "secret")
        }
        #expect(phone.asked == [.finger])
    }

    @Test(
        "Without a password the user is asked: twice for a new one, once for one that is there",
        .rule("access-control.password.asked"))
    func typed() throws {
        phone.user.will(.password("typed"), .password("typed"))
        phone.keychain.run {
            #expect(item.add(.applicationPassword) == errSecSuccess)
            #expect(item.read().value == "secret")
            #expect(item.read(in: context("typed")).value == "secret")
        }
        #expect(phone.asked == [.newApplicationPassword, .applicationPassword])
    }
}
