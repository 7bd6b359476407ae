import KeychainCrypto
import LinuxSystem
import TestSupport
import Testing

@testable import SecretService

@Suite("Files of gnome-keyring's that lie about themselves")
struct KeyringFileAttackTests {
    @Test("A file of secrets that never end is read once, and none of them is believed", .patient)
    func endless() throws {
        let text = "[keyring]\ndisplay-name=x\n\n[1]\nitem-type=0\n" + String(repeating: "secret=a\n", count: 200_000)
        let keyring = try PlainKeyring(Array(text.utf8).span)
        #expect(keyring.items.count == 1 && keyring.items.allSatisfy { $0 == nil })
    }

    /// An encrypted file whose text nothing opens.
    private static func file(iterations: UInt32 = 1, items: UInt32 = 1, size: UInt32 = 32) -> [UInt8] {
        let numbers: ([UInt32]) -> [UInt8] = {
            $0.flatMap { number in (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xff) } }
        }
        let beginning = Array("GnomeKeyring\n\r\0\n".utf8) + numbers([0, 1]) + Array("x".utf8)
        let middle = numbers([0, 0, 0, 0, 0, 0, iterations]) + [UInt8](repeating: 7, count: 8)
        let item = numbers([1, 0, 1, 1]) + Array("a".utf8) + numbers([0, 0])
        return beginning + middle + numbers([0, 0, 0, 0, items]) + item + numbers([size])
            + [UInt8](repeating: 9, count: 32)
    }

    /// The reason for which a file is refused; nil where it opens.
    private static func problem(_ bytes: [UInt8]) -> (any Error)? {
        do {
            let keyring = try EncryptedKeyring(SecretBytes(copying: bytes.span))
            _ = try keyring.items(password: SecretBytes(copying: Array("password".utf8).span))
            return nil
        } catch { return error }
    }

    @Test("A file that is damaged at any byte, or cut anywhere, is refused")
    func damaged() {
        let whole = Self.file()
        #expect(Self.problem(whole) as? CryptoError == .authenticationFailed)
        for place in whole.indices {
            for byte: UInt8 in [0, 0x7f, 0x80, 0xff] {
                var bytes = whole
                bytes[place] = byte
                #expect(Self.problem(bytes) != nil, "\(byte) at \(place)")
            }
            #expect(Self.problem(Array(whole.prefix(place))) is KeyringReader.Cut, "cut at \(place)")
        }
    }

    @Test("Numbers of rounds, items and bytes that no file has are refused before any work is done for them")
    func numbers() {
        for rounds: UInt32 in [0, 1 << 23, .max] {
            #expect(Self.problem(Self.file(iterations: rounds)) as? CryptoError == .invalidParameter)
        }
        for number: UInt32 in [2, 1 << 31, .max - 1, .max] {
            #expect(Self.problem(Self.file(items: number)) is KeyringReader.Cut)
        }
        for size: UInt32 in [33, 1 << 31, .max - 1] {
            #expect(Self.problem(Self.file(size: size)) is KeyringReader.Cut)
        }
    }
}
