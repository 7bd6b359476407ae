import LocalAuthentication
import TestSupport
import Testing

@Suite struct LAErrorTests {
    private let cancelled = NSError(domain: LAErrorDomain, code: -2)

    @Test("An error of the domain casts to LAError and back")
    func casts() throws {
        let error = try #require(cancelled as? LAError)
        #expect(error.code == .userCancel)
        #expect(error as NSError == cancelled)
    }

    @Test("An error of another domain does not cast to LAError")
    func foreignDomain() {
        let foreign = NSError(domain: NSOSStatusErrorDomain, code: -2)
        #expect(foreign as? LAError == nil)
    }

    @Test("A thrown NSError is caught by its code")
    func caughtByCode() {
        do {
            throw cancelled
        } catch LAError.userCancel {
            return
        } catch {
            Issue.record("not caught by its code: \(error)")
        }
    }

    @Test("A thrown NSError is caught as LAError")
    func caughtByType() {
        do {
            throw cancelled
        } catch let error as LAError {
            #expect(error.code == .userCancel)
        } catch {
            Issue.record("not caught as LAError: \(error)")
        }
    }

    @Test(
        "The codes have Apple's values",
        arguments: [
            (LAError.authenticationFailed, -1), (.userCancel, -2), (.userFallback, -3), (.systemCancel, -4),
            (.passcodeNotSet, -5), (.biometryNotAvailable, -6), (.biometryNotEnrolled, -7), (.biometryLockout, -8),
            (.appCancel, -9), (.invalidContext, -10), (.companionNotAvailable, -11), (.biometryNotPaired, -12),
            (.biometryDisconnected, -13), (.invalidDimensions, -14), (.notInteractive, -1004),
            (.touchIDNotAvailable, -6), (.touchIDNotEnrolled, -7), (.touchIDLockout, -8), (.watchNotAvailable, -11),
        ])
    func codes(code: LAError.Code, value: Int) {
        #expect(code.rawValue == value)
    }

    @Test("Policies, biometry, credentials and operations have Apple's values", .rule("authentication.policy.kinds"))
    func enumerations() {
        #expect(LAPolicy.deviceOwnerAuthenticationWithBiometrics.rawValue == 1)
        #expect(LAPolicy.deviceOwnerAuthentication.rawValue == 2)
        #expect(LAPolicy.deviceOwnerAuthenticationWithWatch.rawValue == 3)
        #expect(LAPolicy.deviceOwnerAuthenticationWithBiometricsOrWatch.rawValue == 4)
        #expect(LABiometryType.opticID.rawValue == 4)
        #expect(LACredentialType.smartCardPIN.rawValue == -3)
        #expect(LAAccessControlOperation.useKeyKeyExchange.rawValue == 5)
        #expect(LACompanionType.vision.rawValue == 4)
        #expect(LABiometryType.LABiometryNone == .none)
    }

    @Test("The names of C have the values of Swift's")
    func namesOfC() {
        #expect(kLAErrorTouchIDLockout == -8)
        #expect(kLAErrorWatchNotAvailable == -11)
        #expect(Int(kLAPolicyDeviceOwnerAuthentication) == LAPolicy.deviceOwnerAuthentication.rawValue)
        #expect(
            Int(kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch)
                == LAPolicy.deviceOwnerAuthenticationWithBiometricsOrCompanion.rawValue)
        #expect(Int(kLABiometryTypeOpticID) == LABiometryType.opticID.rawValue)
        #expect(Int(kLACompanionTypeMac) == LACompanionType.mac.rawValue)
        #expect(Int(kLACredentialSmartCardPIN) == LACredentialType.smartCardPIN.rawValue)
        #expect(
            Int(kLAAccessControlOperationUseKeyKeyExchange) == LAAccessControlOperation.useKeyKeyExchange.rawValue)
    }

    @Test("An error that is thrown as LAError is caught by its code, as LAError and as NSError")
    func thrownAsLAError() {
        func caught(_ error: any Error) -> String {
            do { throw error } catch LAError.userCancel { return "code" } catch let error as LAError {
                return "LAError \(error.code.rawValue)"
            } catch { return "other" }
        }
        #expect(caught(LAError(.userCancel)) == "code")
        #expect(caught(LAError(.biometryLockout)) == "LAError -8")
        #expect(caught(NSError(domain: NSOSStatusErrorDomain, code: -2)) == "other")
        #expect((LAError(.appCancel) as NSError).code == -9)
    }
}
