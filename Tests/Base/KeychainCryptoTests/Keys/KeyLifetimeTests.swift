import Glibc
import KeychainModel
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import KeychainCrypto

// A function that C calls has access only to globals.
private let allocated = Atomic<Int>(0)

/// Counts the memory blocks that OpenSSL has allocated and not freed.
enum OpenSSLMemory {
    private typealias Allocate = @convention(c) (Int, UnsafePointer<CChar>?, CInt) -> UnsafeMutableRawPointer?
    private typealias Reallocate =
        @convention(c) (UnsafeMutableRawPointer?, Int, UnsafePointer<CChar>?, CInt) -> UnsafeMutableRawPointer?
    private typealias Free = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, CInt) -> Void
    private typealias SetFunctions = @convention(c) (Allocate?, Reallocate?, Free?) -> CInt

    static var blocks: Int { allocated.load(ordering: .sequentiallyConsistent) }

    /// Must be called before any other function of OpenSSL; false when it was not.
    static func startCounting() -> Bool {
        guard let symbol = unsafe dlsym(nil, "CRYPTO_set_mem_functions") else { return false }
        let set = unsafe unsafeBitCast(symbol, to: SetFunctions.self)
        let done = unsafe set(
            { size, _, _ in
                allocated.add(1, ordering: .relaxed)
                return unsafe malloc(size)
            },
            { block, size, _, _ in
                if unsafe block == nil { allocated.add(1, ordering: .relaxed) }
                if size == 0 { allocated.subtract(1, ordering: .relaxed) }
                return unsafe realloc(block, size)
            },
            { block, _, _ in
                if unsafe block != nil { allocated.subtract(1, ordering: .relaxed) }
                unsafe free(block)
            })
        return done == 1
    }
}

@Suite("Lives of keys", .enabled(if: !Sanitizer.isActive, "a sanitizer keeps freed memory and looks for leaks itself"))
struct KeyLifetimeTests {
    @Test("A private key is gone from memory with its last owner: Ed25519")
    func forgottenEd25519() async {
        await #expect(processExitsWith: .success) { try Self.forget(.ed25519) }
    }

    @Test("A private key is gone from memory with its last owner: X25519")
    func forgottenX25519() async {
        await #expect(processExitsWith: .success) { try Self.forget(.x25519) }
    }

    private static func forget(_ type: KeyType) throws {
        let needle = Needle(count: 32)
        var key: PrivateKey? = try needle.secret().withSpan { secret throws(CryptoError) in
            try PrivateKey(external: secret, type: type)
        }
        #expect(try needle.occurrences() > 0)
        _ = try key?.external()
        if type == .ed25519 { _ = try key?.sign([1, 2, 3], .ed25519) }
        key = nil
        #expect(try needle.occurrences() == 0)
    }

    @Test("What was decrypted is gone from memory with its last owner")
    func plaintext() async {
        await #expect(processExitsWith: .success) { () throws in
            let needle = Needle()
            let key = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
            let box = try needle.secret().withSpan { secret throws(CryptoError) in
                try key.publicKey.encrypt(secret, .ecies)
            }
            var opened: SecretBytes? = try key.decrypt(box.span, .ecies)
            #expect(opened != nil)
            #expect(try needle.occurrences() == 1)
            opened = nil
            #expect(try needle.occurrences() == 0)
        }
    }

    @Test("Keys that were made, read and used leave no object of OpenSSL's behind")
    func leaks() async {
        await #expect(processExitsWith: .success) { () throws in
            try #require(OpenSSLMemory.startCounting())
            try Self.useKeys(20)
            let before = OpenSSLMemory.blocks
            try Self.useKeys(100)
            // Caches are filled once; a leak would occur a hundred times.
            #expect(OpenSSLMemory.blocks - before < 50)
        }
    }

    private static func useKeys(_ rounds: Int) throws {
        let rsa = try PrivateKey.generate(.rsa, bits: 1024)
        let message: [UInt8] = [1, 2, 3]
        for _ in 0..<rounds {
            let (curve, edwards, montgomery) = try (
                PrivateKey.generate(.ecSECPrimeRandom, bits: 256), PrivateKey.generate(.ed25519, bits: 256),
                PrivateKey.generate(.x25519, bits: 256)
            )
            let modulus = try PrivateKey(external: rsa.external().array, type: .rsa)
            for key in [curve, edwards, montgomery, modulus] { try use(key, message) }
        }
    }

    private static func use(_ key: PrivateKey, _ message: [UInt8]) throws {
        _ = try PrivateKey(privateKeyInfo: key.privateKeyInfo().array)
        _ = try PublicKey(subjectPublicKeyInfo: key.publicKey.subjectPublicKeyInfo())
        #expect(throws: CryptoError.malformedKey) { try PrivateKey(external: message, type: key.type) }
        for algorithm in KeyAlgorithm.all {
            if algorithm.supports(.sign, type: key.type, bits: key.bits), algorithm.messageHash == .sha256 {
                let signature = try key.sign(message, algorithm)
                #expect(try key.publicKey.verify(signature, of: message, algorithm))
                #expect(try !key.publicKey.verify(signature + [0], of: message, algorithm))
            }
            if algorithm.supports(.decrypt, type: key.type, bits: key.bits), algorithm.name.hasSuffix("SHA256:AESGCM") {
                let box = try key.publicKey.encrypt(message, algorithm)
                #expect(try key.decrypt(box, algorithm) == message)
                #expect(throws: CryptoError.self) { try key.decrypt(box + [0], algorithm) }
            }
        }
    }
}
