import KeychainCrypto
import LinuxSystem
import TestSupport
import Testing

@Suite("Keys in memory", .enabled(if: !Sanitizer.isActive, "a sanitizer keeps freed memory"))
struct KeyMemoryTests {
    @Test("A box that opened is in memory once, in its buffer; one that did not is nowhere")
    func openedOnce() async {
        await #expect(processExitsWith: .success) { () throws in
            let needle = Needle()
            let cipher = try AESGCM(key: Randomness.bytes(32))
            var box = try needle.secret().withSpan { secret throws(CryptoError) in try cipher.seal(secret, aad: Span())
            }
            #expect(try needle.occurrences() == 0)
            let buffer = SecretBuffer()
            try cipher.open(box, aad: [], into: buffer)
            #expect(try needle.occurrences() == 1)
            buffer.removeAll()
            box[box.count - 1] ^= 1
            #expect(throws: CryptoError.authenticationFailed) { try cipher.open(box, aad: [], into: buffer) }
            #expect(try needle.occurrences() == 0)
        }
    }

    @Test("A key is gone from memory with its context, also with a context for many keys")
    func keySchedules() async {
        await #expect(processExitsWith: .success) { () throws in
            let needle = Needle(count: 32)
            var cipher: AESGCM? = try needle.secret().withSpan { key throws(CryptoError) in try AESGCM(key: key) }
            // Round keys begin with the key itself, so the search finds the schedule while it exists.
            #expect(try needle.occurrences() > 0)
            _ = try cipher?.seal([1], aad: [])
            cipher = nil
            #expect(try needle.occurrences() == 0)

            do {
                let oneTime = try OneTimeAESGCM()
                _ = try needle.secret().withSpan { key throws(CryptoError) in
                    try oneTime.seal(key, key: key, aad: Span())
                }
                #expect(try needle.occurrences() > 0)
                withExtendedLifetime(oneTime) {}
            }
            #expect(try needle.occurrences() == 0)
        }
    }

    @Test("A digest's key is gone from memory with it")
    func digestKey() async {
        await #expect(processExitsWith: .success) { () throws in
            let needle = Needle()
            var digest: KeyedDigest? = try needle.secret().withSpan { key throws(CryptoError) in
                try KeyedDigest(key: key)
            }
            _ = try digest?.digest([1])
            #expect(try needle.occurrences() > 0)
            digest = nil
            #expect(try needle.occurrences() == 0)
        }
    }

    @Test("Derivations leave neither what they were given nor what they gave")
    func derivations() async {
        await #expect(processExitsWith: .success) { () throws in
            let needle = Needle()
            let salt = Randomness.bytes(16)
            let secret = needle.secret()
            #expect(try needle.occurrences() == 1)
            _ = try secret.withSpan { key throws(CryptoError) in
                try HKDF.derive(from: key, salt: salt.span, info: Span(), count: 32)
            }
            _ = try secret.withSpan { password throws(CryptoError) in
                try Argon2id(memory: 64, passes: 1).derive(from: password, salt: salt.span, count: 32)
            }
            #expect(try needle.occurrences() == 1)
        }
    }
}
