import CommonCrypto
import Testing

/// CommonKeyDerivation: expected values from RFC 6070 (SHA-1), RFC 7914 (SHA-256) and Python's hashlib.
@Suite("Keys from passwords by CommonCrypto")
struct KeyDerivationTests {
    private static let vectors: [(Int, String, UInt32, String)] = [
        (kCCPRFHmacAlgSHA1, "password", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        (kCCPRFHmacAlgSHA1, "password", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (kCCPRFHmacAlgSHA1, "password", 4096, "4b007901b765489abead49d926f721d065a429c1"),
        (kCCPRFHmacAlgSHA224, "password", 2, "93200ffa96c5776d38fa10abdf8f5bfc0054b9718513df472d2331d2"),
        (
            kCCPRFHmacAlgSHA256, "passwd", 1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
        ),
        (
            kCCPRFHmacAlgSHA384, "password", 2,
            "54f775c6d790f21930459162fc535dbf04a939185127016a04176a0730c6f1f4fb48832ad1261baadd2cedd50814b1c8"
        ),
        (
            kCCPRFHmacAlgSHA512, "password", 2,
            "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c"
                + "f76cab2868a39b9f7840edce4fef5a82be67335c77a6068e04112754f27ccf4e"
        ),
    ]

    @Test("A derived key is the published one", arguments: vectors)
    func derived(function: Int, password: String, rounds: UInt32, expected: String) {
        let expected = bytes(expected)
        var key = [UInt8](repeating: 0, count: expected.count)
        let status = unsafe CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2), password, password.utf8.count, Array("salt".utf8), 4,
            CCPseudoRandomAlgorithm(function), rounds, &key, key.count)
        #expect(status == kCCSuccess)
        #expect(key == expected)
    }

    @Test("Password and salt may be empty")
    func empty() {
        var key = [UInt8](repeating: 0, count: 20)
        #expect(
            unsafe CCKeyDerivationPBKDF(2, "", 0, nil as UnsafePointer<UInt8>?, 0, 1, 1, &key, 20) == kCCSuccess)
        #expect(key == bytes("1e437a1c79d75be61e91141dae20affc4892cc99"))
    }

    @Test("What means nothing is refused")
    func refused() {
        var key = [UInt8](repeating: 0, count: 20)
        let salt = Array("salt".utf8)
        func derive(
            algorithm: UInt32 = 2, salt: UnsafePointer<UInt8>?, saltSize: Int = 4, function: UInt32 = 1,
            rounds: UInt32 = 1, size: Int = 20
        ) -> Int32 {
            unsafe CCKeyDerivationPBKDF(algorithm, "password", 8, salt, saltSize, function, rounds, &key, size)
        }
        #expect(unsafe derive(salt: salt) == kCCSuccess)
        #expect(unsafe derive(algorithm: 1, salt: salt) == kCCParamError)
        #expect(derive(salt: nil) == kCCParamError)
        #expect(unsafe derive(salt: salt, saltSize: -1) == kCCParamError)
        #expect(unsafe derive(salt: salt, function: 6) == kCCParamError)
        #expect(unsafe derive(salt: salt, rounds: 0) == kCCParamError)
        #expect(unsafe derive(salt: salt, rounds: .max) == kCCParamError)
        #expect(unsafe derive(salt: salt, size: 0) == kCCParamError)
        #expect(unsafe derive(salt: salt, size: -1) == kCCParamError)
    }

    @Test("More time gives more rounds, and never fewer than ten thousand")
    func calibration() {
        let few = CCCalibratePBKDF(2, 8, 8, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256), 32, 0)
        let many = CCCalibratePBKDF(2, 8, 8, CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256), 32, 60_000)
        #expect(few == 10_000)
        #expect(many > 20_000)
        #expect(CCCalibratePBKDF(1, 8, 8, 3, 32, 100) == .max)
        #expect(CCCalibratePBKDF(2, 8, 133, 3, 32, 100) == .max)
        #expect(CCCalibratePBKDF(2, 8, 8, 3, 0, 100) == .max)
    }
}
