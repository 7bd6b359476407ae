import DER
import KeychainCrypto
package import KeychainModel
package import LinuxSystem

/// A team's key in a file: PEM with a private key in PKCS#8, encrypted with a passphrase or not. The rotations that
/// lead to the key follow it, if there were any.
package struct TeamKeyFile: Sendable {
    package let key: TeamPrivateKey
    package let statements: [TeamStatement]

    private static let plain = "PRIVATE KEY"
    private static let encrypted = "ENCRYPTED PRIVATE KEY"
    /// Room for a key and all its rotations.
    package static let mostBytes = 256 << 10

    /// Reads the file's text.
    ///
    /// - Parameter passphrase: asks for the passphrase; called when the key is encrypted.
    /// - Throws: `errSecParam` (`team.key`) for a text that is not a team key, or does not decrypt; any error of a
    ///   statement or of `passphrase`.
    package init<Failure: Error>(
        _ text: SecretBytes, passphrase: () throws(Failure) -> SecretBytes
    ) throws(TeamKeyFailure<Failure>) {
        let blocks: [PEM]
        do throws(Refusal) { blocks = try Self.blocks(text) } catch { throw .refused(error) }
        let keys = blocks.filter { $0.label == Self.plain || $0.label == Self.encrypted }
        guard let block = keys.first, keys.count == 1 else {
            throw .refused(.noTeamKey("The file has not one PRIVATE KEY in PEM (PKCS#8)."))
        }
        var secret: SecretBytes?
        if block.label == Self.encrypted {
            do throws(Failure) { secret = try passphrase() } catch { throw .notAsked(error) }
        }
        do throws(Refusal) {
            key = try TeamPrivateKey(Self.open(block.content, secret))
            statements = try TeamStatement.statements(among: blocks)
        } catch { throw .refused(error) }
    }

    private static func blocks(_ text: SecretBytes) throws(Refusal) -> [PEM] {
        do throws(PEM.Malformed) {
            return try text.withSpan { (text) throws(PEM.Malformed) in try PEM.read(text) }
        } catch {
            throw .noTeamKey("The file is not in PEM.")
        }
    }

    private static func open(_ content: SecretBytes, _ passphrase: SecretBytes?) throws(Refusal) -> PrivateKey {
        do throws(CryptoError) {
            return try content.withSpan { (bytes) throws(CryptoError) in
                guard let passphrase else { return try PrivateKey(privateKeyInfo: bytes) }
                return try PrivateKey(encryptedPrivateKeyInfo: bytes, passphrase)
            }
        } catch .authenticationFailed { throw .noTeamKey("The passphrase is wrong.") } catch {
            throw .noTeamKey("The key in it cannot be read.")
        }
    }

    /// The text of a file with a key alone.
    ///
    /// - Parameter passphrase: encrypts the key; nil for a key that every reader of the file can use.
    /// - Throws: `errSecInternalComponent`.
    package static func text(_ key: TeamPrivateKey, passphrase: SecretBytes?) throws(Refusal) -> SecretBytes {
        let content = try computing { () throws(CryptoError) in
            guard let passphrase else { return try key.key.privateKeyInfo() }
            return try key.key.encryptedPrivateKeyInfo(passphrase)
        }
        let buffer = SecretBuffer()
        content.withSpan { PEM.append(label: passphrase == nil ? plain : encrypted, $0, to: buffer) }
        return buffer.finish()
    }
}

/// Why a file gives no key.
package enum TeamKeyFailure<Question: Error>: Error {
    case refused(Refusal)
    /// The passphrase was not available.
    case notAsked(Question)
}
