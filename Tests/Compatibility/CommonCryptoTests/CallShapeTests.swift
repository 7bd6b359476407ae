import CommonCrypto
import Foundation
import Testing

/// The forms in which programs write these calls, which the C functions accept (SE-0324).
@Suite("Calls of CommonCrypto as programs write them")
struct CallShapeTests {
    private static let digest = bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    private let data = Data("abc".utf8)

    @Test("A digest is written to an array, to data, by bytes, and to untyped memory")
    func digests() {
        var array = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        _ = unsafe data.withUnsafeBytes { unsafe CC_SHA256($0.baseAddress, CC_LONG(data.count), &array) }
        #expect(array == Self.digest)

        var typed = Data(count: Int(CC_SHA256_DIGEST_LENGTH))
        _ = unsafe typed.withUnsafeMutableBytes { place in
            unsafe data.withUnsafeBytes { bytes in
                unsafe CC_SHA256(bytes.baseAddress, CC_LONG(bytes.count), place.bindMemory(to: UInt8.self).baseAddress)
            }
        }
        #expect(Array(typed) == Self.digest)

        var raw = Data(count: Int(CC_SHA256_DIGEST_LENGTH))
        unsafe raw.withUnsafeMutableBytes { (place: UnsafeMutableRawBufferPointer) in
            unsafe data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                _ = unsafe CC_SHA256(bytes.baseAddress, CC_LONG(bytes.count), place.baseAddress)
            }
        }
        #expect(Array(raw) == Self.digest)

        var context = CC_SHA256_CTX()
        unsafe CC_SHA256_Init(&context)
        unsafe data.withUnsafeBytes { _ = unsafe CC_SHA256_Update(&context, $0.baseAddress, CC_LONG($0.count)) }
        unsafe raw.withUnsafeMutableBytes { _ = unsafe CC_SHA256_Final($0.baseAddress, &context) }
        #expect(Array(raw) == Self.digest)
    }

    @Test("A password is text, characters, bytes or untyped memory; salt and key likewise")
    func derivations() {
        let expected = bytes("ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957")
        let (password, salt) = ("password", Data("salt".utf8))
        var key = [UInt8](repeating: 0, count: 20)
        let algorithm = CCPBKDFAlgorithm(kCCPBKDF2)
        let function = CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA1)

        #expect(unsafe CCKeyDerivationPBKDF(algorithm, password, 8, Array(salt), 4, function, 2, &key, 20) == 0)
        #expect(key == expected)

        var derived = Data(count: 20)
        let status = unsafe derived.withUnsafeMutableBytes { derived in
            unsafe salt.withUnsafeBytes { salt in
                unsafe CCKeyDerivationPBKDF(
                    algorithm, password, password.utf8.count, salt.bindMemory(to: UInt8.self).baseAddress, salt.count,
                    function, 2, derived.bindMemory(to: UInt8.self).baseAddress, derived.count)
            }
        }
        #expect(status == kCCSuccess)
        #expect(Array(derived) == expected)

        derived = Data(count: 20)
        let raw = unsafe derived.withUnsafeMutableBytes { (derived: UnsafeMutableRawBufferPointer) in
            unsafe salt.withUnsafeBytes { (salt: UnsafeRawBufferPointer) in
                unsafe Data(password.utf8).withUnsafeBytes { (password: UnsafeRawBufferPointer) in
                    unsafe CCKeyDerivationPBKDF(
                        algorithm, password.baseAddress, password.count, salt.baseAddress, salt.count, function, 2,
                        derived.baseAddress, derived.count)
                }
            }
        }
        #expect(raw == kCCSuccess)
        #expect(Array(derived) == expected)
    }

    @Test("Statuses and constants are compared and converted whatever their width")
    func constants() {
        #expect(kCCSuccess == Int(CCCryptorStatus(kCCSuccess)))
        #expect(CCCryptorStatus(kCCParamError) == -4300)
        #expect(CCOptions(kCCOptionPKCS7Padding | kCCOptionECBMode) == 3)
        #expect(UInt32(kCCEncrypt) == CCOperation(kCCEncrypt))
        #expect(size_t(kCCKeySizeAES256) == 32)
        #expect(Int(CC_MD5_DIGEST_LENGTH) == 16)
    }

    @Test("Random bytes fill the memory, a part of it or none")
    func random() {
        var data = Data(count: 64)
        let status = unsafe data.withUnsafeMutableBytes { unsafe CCRandomGenerateBytes($0.baseAddress, $0.count) }
        #expect(status == kCCSuccess)
        #expect(data != Data(count: 64))
        var array = [UInt8](repeating: 0, count: 32)
        #expect(unsafe CCRandomGenerateBytes(&array, 16) == kCCSuccess)
        #expect(Array(array[16...]) == [UInt8](repeating: 0, count: 16))
        #expect(unsafe CCRandomGenerateBytes(&array, 0) == kCCSuccess)
        #expect(CCRandomGenerateBytes(nil, 16) == kCCParamError)
        #expect(unsafe CCRandomGenerateBytes(&array, -1) == kCCParamError)
    }
}
