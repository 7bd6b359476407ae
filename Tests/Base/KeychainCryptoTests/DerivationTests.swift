import LinuxSystem
import Testing

@testable import KeychainCrypto

@Suite("HKDF")
struct HKDFTests {
    struct Vector: Sendable {
        let key: [UInt8]
        let salt: [UInt8]
        let info: [UInt8]
        let derived: String

        // RFC 5869 appendix A, test cases 1 to 3.
        static let published = [
            Vector(
                key: Array(repeating: 0x0b, count: 22), salt: Array(0...12), info: Array(0xf0...0xf9),
                derived: """
                    3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
                    """),
            Vector(
                key: Array(0...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
                derived: """
                    b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c\
                    59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71\
                    cc30c58179ec3e87c14c01d5c1f3434f1d87
                    """),
            Vector(
                key: Array(repeating: 0x0b, count: 22), salt: [], info: [],
                derived: """
                    8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
                    """),
        ]
    }

    @Test("RFC 5869: the published keys", arguments: Vector.published)
    func published(vector: Vector) throws {
        let derived = try HKDF.derive(
            from: vector.key, salt: vector.salt, info: vector.info, count: vector.derived.count / 2)
        #expect(hexadecimal(derived) == vector.derived)
    }

    @Test("RFC 5869: the two steps, one after the other, give the published keys", arguments: Vector.published)
    func steps(vector: Vector) throws {
        let key = try HKDF.extract(from: vector.key.span, salt: vector.salt.span)
        #expect(key.count == 32)
        let derived = try key.withSpan {
            try HKDF.expand($0, info: vector.info.span, count: vector.derived.count / 2)
        }
        #expect(hexadecimal(derived) == vector.derived)
    }

    @Test("More than 255 blocks, and nothing, cannot be derived", arguments: [-1, 0, 8161])
    func sizes(count: Int) {
        #expect(throws: CryptoError.invalidParameter) {
            try HKDF.derive(from: [1], salt: [], info: [], count: count)
        }
    }

    @Test("The longest key that can be derived begins as a shorter one")
    func longest() throws {
        let long = try HKDF.derive(from: [1], salt: [2], info: [3], count: 8160)
        let short = try HKDF.derive(from: [1], salt: [2], info: [3], count: 32)
        #expect(long.count == 8160 && hexadecimal(long).hasPrefix(hexadecimal(short)))
    }
}

@Suite("Argon2id")
struct Argon2idTests {
    struct Vector: Sendable {
        let memory: UInt32
        let passes: UInt32
        let lanes: UInt32
        let password: String
        let salt: String
        let derived: String

        // Tests of the reference implementation (phc-winner-argon2, src/test.c), version 0x13.
        static let published = [
            Vector(
                memory: 65536, passes: 2, lanes: 1, password: "password", salt: "somesalt",
                derived: "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"),
            Vector(
                memory: 256, passes: 2, lanes: 1, password: "password", salt: "somesalt",
                derived: "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"),
            Vector(
                memory: 256, passes: 2, lanes: 2, password: "password", salt: "somesalt",
                derived: "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"),
            Vector(
                memory: 65536, passes: 1, lanes: 1, password: "password", salt: "somesalt",
                derived: "f6a5adc1ba723dddef9b5ac1d464e180fcd9dffc9d1cbf76cca2fed795d9ca98"),
            Vector(
                memory: 65536, passes: 2, lanes: 1, password: "differentpassword", salt: "somesalt",
                derived: "0b84d652cf6b0c4beaef0dfe278ba6a80df6696281d7e0d2891b817d8c458fde"),
            Vector(
                memory: 65536, passes: 2, lanes: 1, password: "password", salt: "diffsalt",
                derived: "bdf32b05ccc42eb15d58fd19b1f856b113da1e9a5874fdcc544308565aa8141c"),
        ]
    }

    @Test("The keys of the reference implementation", arguments: Vector.published)
    func published(vector: Vector) throws {
        let derived = try Argon2id(memory: vector.memory, passes: vector.passes, lanes: vector.lanes).derive(
            from: Array(vector.password.utf8), salt: Array(vector.salt.utf8), count: 32)
        #expect(hexadecimal(derived) == vector.derived)
    }

    @Test("RFC 9106 section 5.3: the published tag, with a secret and associated data")
    func specification() throws {
        let derived = try Argon2id(memory: 32, passes: 3, lanes: 4).derive(
            from: [UInt8](repeating: 1, count: 32), salt: [UInt8](repeating: 2, count: 16),
            secret: [UInt8](repeating: 3, count: 8), associatedData: [UInt8](repeating: 4, count: 12),
            count: 32)
        #expect(hexadecimal(derived) == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")
    }

    @Test("An empty password has a key of its own")
    func emptyPassword() throws {
        let argon = try Argon2id(memory: 64, passes: 1)
        let salt = Randomness.bytes(16)
        let empty = try argon.derive(from: [], salt: salt, count: 32)
        #expect(!empty.isEqual(to: try argon.derive(from: [0], salt: salt, count: 32)))
        #expect(empty.isEqual(to: try argon.derive(from: [], salt: salt, count: 32)))
    }

    @Test(
        "A price that a damaged file could name is refused before it is paid",
        arguments: [
            (7, 1, 1), (15, 1, 2), (64, 0, 1), (64, 1, 0), (64, 1, 17), (.max, 1, 1), (64, .max, 1), (64, 1, .max),
        ]
            as [(UInt32, UInt32, UInt32)])
    func prices(memory: UInt32, passes: UInt32, lanes: UInt32) {
        #expect(throws: CryptoError.invalidParameter) { try Argon2id(memory: memory, passes: passes, lanes: lanes) }
    }

    @Test("A short salt, and a key that is too short or too long, are refused")
    func sizes() throws {
        let argon = try Argon2id(memory: 64, passes: 1)
        for (salt, count) in [(7, 32), (1025, 32), (16, 3), (16, 1025), (16, -1)] {
            #expect(throws: CryptoError.invalidParameter) {
                try argon.derive(from: [1], salt: [UInt8](repeating: 0, count: salt), count: count)
            }
        }
    }
}
