import Glibc
import KeychainClient
import KeychainCrypto
import KeychainModel
import LinuxSystem

/// A keyring of gnome-keyring's, read from its file: gnome-keyring itself changes some secrets when it loads them.
struct KeyringFile: SecretSource {
    static let origin = KeyringImport.file

    private let path: String
    private let label: String
    private let items: [OtherService.Item?]

    private static let limit = 16 << 20
    /// The keyring that the login opens.
    private static let usual = "login.keyring"

    /// Reads the whole file.
    ///
    /// - Parameter password: gives the password of an encrypted one.
    /// - Throws: ``ImportFailure`` for a file that cannot be read or is no keyring, and for a wrong password; the
    ///   errors of `password`.
    init(_ path: String, password: () throws -> SecretBytes) throws {
        self.path = path
        let content = try Self.content(path)
        guard content.withSpan({ $0.isEncryptedKeyring }) else {
            let keyring = try content.withSpan { (file) throws(ImportFailure) in try PlainKeyring(file) }
            (label, items) = (keyring.name, keyring.items)
            return
        }
        do {
            let keyring = try EncryptedKeyring(content)
            (label, items) = (keyring.name, try keyring.items(password: try password()))
        } catch is KeyringReader.Cut {
            throw ImportFailure("\(path) is damaged or cut.", "\(path) 已损坏或不完整。")
        } catch is CryptoError {
            throw ImportFailure(
                "\(path) does not open: the password is another one, or the file is damaged.",
                "\(path) 无法打开：密码不同，或文件已损坏。")
        }
    }

    /// A file that others may change is nobody's word for a secret.
    private static func content(_ path: String) throws(ImportFailure) -> SecretBytes {
        do throws(SystemError) {
            let (content, _, status) = try AtomicFile.readSecretAndPath(path, limit: limit)
            guard status.owner == geteuid() || status.owner == 0, status.mode & S_IWOTH == 0 else {
                throw SystemError(code: EPERM, call: "open")
            }
            return content
        } catch {
            let reason = unsafe String(cString: strerror(error.code))
            throw ImportFailure(
                "\(path) cannot be read (\(reason)). Name a keyring's file of your own that no other user may change.",
                "无法读取 \(path)（\(reason)）。请指定一个属于您自己、其他用户不能更改的密钥环文件。")
        }
    }

    func collections() -> [OtherService.Collection] {
        let isDefault = path.split(separator: "/").last.map(String.init) == Self.usual
        return [OtherService.Collection(path: path, label: label, isDefault: isDefault, isLocked: false, items: [])]
    }

    func items(of collection: OtherService.Collection, _ body: (OtherService.Item?) throws -> Void) throws {
        for item in items { try body(item) }
    }
}

extension Span<UInt8> {
    fileprivate var isEncryptedKeyring: Bool {
        let magic = EncryptedKeyring.magic
        return count >= magic.utf8CodeUnitCount && text(0, magic.utf8CodeUnitCount) == "\(magic)"
    }
}
