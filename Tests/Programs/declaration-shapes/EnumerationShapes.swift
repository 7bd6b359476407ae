import Foundation
import LocalAuthentication
import Security

/// Structures and enumerations with Apple's names and values.
func enumerations() {
    let algorithms: [(SecKeyAlgorithm, String)] = [
        (.rsaSignatureMessagePKCS1v15SHA256, "algid:sign:RSA:message-PKCS1v15:SHA256"),
        (.rsaSignatureDigestPSSSHA512, "algid:sign:RSA:digest-PSS:SHA512:SHA512:64"),
        (.rsaEncryptionOAEPSHA1, "algid:encrypt:RSA:OAEP:SHA1"),
        (.ecdsaSignatureMessageX962SHA256, "algid:sign:ECDSA:message-X962:SHA256"),
        (.eciesEncryptionCofactorVariableIVX963SHA256AESGCM, "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"),
        (.ecdhKeyExchangeStandard, "algid:keyexchange:ECDH"),
    ]
    for (algorithm, raw) in algorithms {
        check(algorithm.rawValue as String == raw, raw)
        check(SecKeyAlgorithm(rawValue: raw as CFString) == algorithm, "init(rawValue:)")
        check(SecKeyAlgorithm(raw as CFString) == algorithm, "init without a label")
    }
    check(Set(algorithms.map { $0.0 }).count == 6, "Hashable")
    let table: [SecKeyAlgorithm: String] = [.rsaSignatureRaw: "raw", .rsaEncryptionPKCS1: "PKCS#1"]
    check(table[.rsaSignatureRaw] == "raw", "as a key of a dictionary")
    check(SecKeyKeyExchangeParameter.requestedSize != .sharedInfo, "parameters of an exchange")
    let operations: [SecKeyOperationType] = [.sign, .verify, .encrypt, .decrypt, .keyExchange]
    check(operations.map(\.rawValue) == [0, 1, 2, 3, 4], "operations")

    let flags: [(SecAccessControlCreateFlags, CFOptionFlags)] = [
        (.userPresence, 1), (.biometryAny, 1 << 1), (.touchIDAny, 1 << 1), (.biometryCurrentSet, 1 << 3),
        (.touchIDCurrentSet, 1 << 3), (.devicePasscode, 1 << 4), (.watch, 1 << 5), (.companion, 1 << 5), (.or, 1 << 14),
        (.and, 1 << 15), (.privateKeyUsage, 1 << 30), (.applicationPassword, 1 << 31),
    ]
    for (flag, value) in flags { check(flag.rawValue == value, "flag \(value)") }
    var set: SecAccessControlCreateFlags = [.biometryAny, .or, .devicePasscode]
    set.insert(.privateKeyUsage)
    check(
        set.contains(.or) && !set.contains(.and) && SecAccessControlCreateFlags(rawValue: 1) == .userPresence, "a set")
    let paddings: [SecPadding] = [
        [], .PKCS1, .OAEP, .sigRaw, .PKCS1SHA1, .PKCS1SHA224, .PKCS1SHA256, .PKCS1SHA384, .PKCS1SHA512,
    ]
    check(paddings.map(\.rawValue) == [0, 1, 2, 0x4000, 0x8002, 0x8003, 0x8004, 0x8005, 0x8006], "paddings")
    let results: [SecTrustResultType] = [
        .invalid, .proceed, .deny, .unspecified, .recoverableTrustFailure, .fatalTrustFailure,
    ]
    check(results.map(\.rawValue) == [0, 1, 3, 4, 5, 6], "results of trust")
    var format = SecExternalFormat.formatUnknown
    var type = SecExternalItemType.itemTypeUnknown
    var items: CFArray?
    SecItemImport(Data([1]) as CFData, nil, &format, &type, [], nil, nil, &items)
    check(items == nil, "SecItemImport")

    check(LAPolicy.deviceOwnerAuthenticationWithBiometrics.rawValue == 1, "a policy")
    check(LAPolicy.deviceOwnerAuthentication.rawValue == 2 && LAPolicy(rawValue: 2) != nil, "another one")
    let biometry: [LABiometryType] = [.none, .touchID, .faceID, .opticID]
    check(biometry.map(\.rawValue) == [0, 1, 2, 4], "biometry")
    check(LACredentialType.applicationPassword.rawValue == 0, "a credential")
    check(LAAccessControlOperation.useItem.rawValue == 1, "an operation")
}

private func thrown(_ code: LAError.Code) throws { throw LAError(code) }

/// Every way to catch `LAError`.
func authenticationErrors() {
    let error: Error = NSError(domain: LAErrorDomain, code: LAError.Code.userCancel.rawValue)
    check((error as? LAError)?.code == .userCancel, "as? LAError")
    check((error as NSError as? LAError)?.code == .userCancel, "NSError as? LAError")
    check((NSError(domain: "other", code: -2) as Error) as? LAError == nil, "of another domain")
    do { try thrown(.userCancel) } catch LAError.userCancel { check(true, "catch LAError.userCancel") } catch {
        check(false, "catch LAError.userCancel")
    }
    do { throw error } catch LAError.userFallback { check(false, "another code") } catch LAError.userCancel {
        check(true, "an NSError is caught by LAError.userCancel")
    } catch { check(false, "an NSError is caught by LAError.userCancel") }
    do { try thrown(.biometryLockout) } catch let error as LAError {
        check(error.code == .biometryLockout && error.errorCode == -8, "catch let error as LAError")
    } catch { check(false, "catch let error as LAError") }
    do { try thrown(.authenticationFailed) } catch let error as NSError {
        check(error.domain == LAErrorDomain && error.code == -1, "catch let error as NSError")
    }
    switch (error as? LAError)?.code {
    case .userCancel?, .systemCancel?, .appCancel?: check(true, "in a switch")
    default: check(false, "in a switch")
    }
    check(
        LAError.Code.touchIDLockout == .biometryLockout && LAError.touchIDNotEnrolled == .biometryNotEnrolled,
        "old names")
    check(LAError(.passcodeNotSet, userInfo: [NSLocalizedDescriptionKey: "x"]).localizedDescription == "x", "a text")
    check(Int32(LAError.Code.invalidContext.rawValue) == kLAErrorInvalidContext, "C's constants")
}
