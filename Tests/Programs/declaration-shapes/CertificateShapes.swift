import Foundation
import Security

/// A self-signed certificate for P-256, "shapes.example", made with OpenSSL.
private let text = """
    MIIBozCCAUqgAwIBAgIUA35f+ojldIwmiQX+Tjl+J8Wi8uMwCgYIKoZIzj0EAwIw
    GTEXMBUGA1UEAwwOc2hhcGVzLmV4YW1wbGUwIBcNMjYxMTIyMDAyNzU3WhgPMjEy
    NjEwMjkwMDI3NTdaMBkxFzAVBgNVBAMMDnNoYXBlcy5leGFtcGxlMFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAEptcD1p8CBhCqoF3v1yY/t7Xfhuo8Wfk6wQG44taX
    7QaHtXm3XHZK0+Q/VWlcBP9D2MixVXEKU5u4qNZfK1XXt6NuMGwwHQYDVR0OBBYE
    FHmwreUr3mPP7QYJ4iy2RAeAcK+2MB8GA1UdIwQYMBaAFHmwreUr3mPP7QYJ4iy2
    RAeAcK+2MA8GA1UdEwEB/wQFMAMBAf8wGQYDVR0RBBIwEIIOc2hhcGVzLmV4YW1w
    bGUwCgYIKoZIzj0EAwIDRwAwRAIgX6sJoaYEr2swmcH94CDKefnP+OZAhmpQYiEx
    xx2Ye9oCIHfXSssagBHExBym2D0fM9/l8NhTd7HU5ETnOpVbrx14
    """

func certificates() {
    let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)!
    guard let certificate = SecCertificateCreateWithData(nil, data as CFData) else {
        return check(false, "SecCertificateCreateWithData")
    }
    check(SecCertificateCreateWithData(kCFAllocatorDefault, Data([1]) as CFData) == nil, "not of nonsense")
    check(SecCertificateCopyData(certificate) as Data == data, "SecCertificateCopyData")
    check(SecCertificateCopySubjectSummary(certificate) as String? == "shapes.example", "its summary")
    check(certificate.summary == "shapes.example", "by an extension")
    var name: CFString?
    check(SecCertificateCopyCommonName(certificate, &name) == errSecSuccess, "SecCertificateCopyCommonName")
    check(name as String? == "shapes.example", "its name")

    let phone: SecKey? = SecCertificateCopyPublicKey(certificate)
    var desktop: SecKey?
    let status: OSStatus = SecCertificateCopyPublicKey(certificate, &desktop)
    check(status == errSecSuccess && phone != nil && phone == desktop, "both forms of SecCertificateCopyPublicKey")
    check(SecCertificateCopyKey(certificate) == phone, "SecCertificateCopyKey")
    var error: Unmanaged<CFError>?
    let serial = SecCertificateCopySerialNumber(certificate, &error) as Data?
    let serialAlone: CFData? = SecCertificateCopySerialNumber(certificate)
    let serialData = SecCertificateCopySerialNumberData(certificate, &error) as Data?
    check(serial != nil && serialData == serial && serialAlone as Data? == serial, "its serial number, in three forms")

    let query: [String: Any] = [kSecClass as String: kSecClassCertificate, kSecValueRef as String: certificate]
    check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess, "kept")
    var item: CFTypeRef?
    let search = [kSecClass: kSecClassCertificate, kSecReturnRef: true] as CFDictionary
    check(SecItemCopyMatching(search, &item) == errSecSuccess, "found")
    check((item as! SecCertificate) == certificate, "as! SecCertificate")
    check(SecItemDelete([kSecClass: kSecClassCertificate] as CFDictionary) == errSecSuccess, "deleted")

    var items: CFArray?
    let options = [kSecImportExportPassphrase as String: "none"]
    check(SecPKCS12Import(Data([1]) as CFData, options as CFDictionary, &items) != errSecSuccess, "SecPKCS12Import")
    let key = kSecImportItemIdentity as String
    check((items as? [[String: Any]])?.first?[key] == nil, "a list of dictionaries, as the samples read it")
    func parts(_ identity: SecIdentity) -> (OSStatus, OSStatus, SecCertificate?, SecKey?) {
        var certificate: SecCertificate?
        var key: SecKey?
        return (
            SecIdentityCopyCertificate(identity, &certificate), SecIdentityCopyPrivateKey(identity, &key), certificate,
            key
        )
    }
    _ = parts
}

func trust() {
    let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters)!
    let certificate = SecCertificateCreateWithData(nil, data as CFData)!
    var trust: SecTrust?
    let policy = SecPolicyCreateSSL(true, "shapes.example" as CFString)
    check(SecTrustCreateWithCertificates(certificate, policy, &trust) == errSecSuccess, "of one certificate and policy")
    check(SecTrustCreateWithCertificates([certificate] as CFArray, [policy] as CFArray, &trust) == 0, "of arrays")
    check(
        SecTrustCreateWithCertificates([certificate] as AnyObject, SecPolicyCreateBasicX509(), &trust) == 0, "of both")
    guard let trust = trust else { return check(false, "made") }
    SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
    SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: 1_800_000_000) as CFDate)
    var error: CFError?
    check(!SecTrustEvaluateWithError(trust, &error) && error != nil, "nobody vouches for it")
    SecTrustSetAnchorCertificates(trust, [certificate] as CFArray)
    SecTrustSetAnchorCertificatesOnly(trust, true)
    check(SecTrustEvaluateWithError(trust, nil), "it vouches for itself")
    var result = SecTrustResultType.invalid
    check(SecTrustGetTrustResult(trust, &result) == errSecSuccess, "SecTrustGetTrustResult")
    check(result == .unspecified || result == .proceed, "what it gives")
    let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
    check(chain == [certificate] && SecTrustGetCertificateCount(trust) == 1, "as? [SecCertificate]")
    check(SecTrustGetCertificateAtIndex(trust, 0) == certificate, "SecTrustGetCertificateAtIndex")
    check(SecTrustCopyKey(trust) == SecCertificateCopyKey(certificate), "SecTrustCopyKey")
    let done = DispatchSemaphore(value: 0)
    let queue = DispatchQueue(label: "trust")
    queue.async {
        let status = SecTrustEvaluateAsyncWithError(trust, queue) { trust, holds, error in
            check(holds && error == nil && SecTrustGetCertificateCount(trust) == 1, "SecTrustEvaluateAsyncWithError")
            done.signal()
        }
        check(status == errSecSuccess, "begun")
    }
    check(done.wait(timeout: .now() + 60) == .success, "ended")
}

func otherFunctions() {
    var bytes = [UInt8](repeating: 0, count: 32)
    check(SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess, "random bytes to an array")
    var data = Data(count: 32)
    let status = data.withUnsafeMutableBytes { SecRandomCopyBytes(kSecRandomDefault, 32, $0.baseAddress!) }
    check(status == errSecSuccess && data != Data(count: 32) && bytes != Array(data), "random bytes to data")
    let task = SecTaskCreateFromSelf(nil)!
    let entitlement = SecTaskCopyValueForEntitlement(task, "com.apple.security.app-sandbox" as CFString, nil)
    check((entitlement as? Bool) != true, "an entitlement that is not there")
    check(CFGetTypeID(task) == SecTaskGetTypeID(), "a task")
    var code: SecCode?
    check(SecCodeCopySelf([], &code) == errSecSuccess || code == nil, "SecCodeCopySelf")
    let done = DispatchSemaphore(value: 0)
    SecRequestSharedWebCredential(nil, nil) { credentials, error in
        check((credentials as? [[String: Any]])?.isEmpty != false, "no credentials of the web")
        check(error.map { CFErrorGetCode($0) } != 0, "and why")
        done.signal()
    }
    check(done.wait(timeout: .now() + 60) == .success, "answered")
    check((SecCreateSharedWebCredentialPassword() as String?)?.isEmpty != true, "a password that is made up")
}
