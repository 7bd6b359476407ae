import KeychainClient
import KeychainModel
import LinuxSystem
import Systemd

/// KWallet on a bus, read as programs of KDE read it. Nothing in it is changed, but that its user may open a wallet.
final class WalletService: SecretSource {
    static let origin = KeyringImport.wallet

    private let bus: SystemBus
    private let object: BusObject
    /// The open wallets.
    private var handles: [String: Int32] = [:]

    /// The name by which KWallet's own questions call this program.
    private static let client = "keychain-secrets"
    /// The daemons of KDE's releases, the newest first.
    private static let daemons = ["kwalletd6", "kwalletd5", "kwalletd"]
    /// The time that a user has for KWallet's prompt, in milliseconds.
    private static let patience = 120_000

    /// - Throws: ``ImportFailure`` on a bus without KWallet; ``BusError``.
    init(_ bus: SystemBus) throws {
        self.bus = bus
        let objects = Self.daemons.map { BusObject("org.kde.\($0)", "/modules/\($0)", "org.kde.KWallet") }
        let found = try objects.first { object in
            do throws(BusError) { return try !bus.ask(object, "isEnabled").isEmpty } catch {
                // Without a name it is the bus that fails.
                guard !error.name.isEmpty else { throw error }
                return false
            }
        }
        guard let found else {
            throw ImportFailure(
                "KWallet does not run on this bus. Start kwalletd inside of the session, and repeat the import.",
                "KWallet 没有在此总线上运行。请在会话中启动 kwalletd，然后重复导入。")
        }
        object = found
    }

    deinit {
        for handle in handles.values {
            _ = try? bus.ask(object, "close", [.signed(handle), .flag(false), .text(Self.client)])
        }
    }

    func collections() throws -> [OtherService.Collection] {
        let usual = try bus.ask(object, "networkWallet").first?.string
        return try texts("wallets").map { name in
            let words: [BusValue] = [.text(name), .signedLong(0), .text(Self.client)]
            let handle = try ifGiven { try bus.ask(object, "open", words, within: Self.patience).first?.integer }
            if let handle, handle >= 0 { handles[name] = handle }
            return OtherService.Collection(
                path: name, label: name, isDefault: name == usual, isLocked: handles[name] == nil, items: [])
        }
    }

    func items(of collection: OtherService.Collection, _ body: (OtherService.Item?) throws -> Void) throws {
        guard let handle = handles[collection.path] else { return }
        for folder in try texts("folderList", [.signed(handle)]) {
            for key in try texts("entryList", [.signed(handle), .text(folder)]) {
                try body(try ifGiven { try item([.signed(handle), .text(folder), .text(key)], folder, key) })
            }
        }
    }

    private func item(_ place: [BusValue], _ folder: String, _ key: String) throws -> OtherService.Item? {
        let words = place + [.text(Self.client)]
        guard let kind = try bus.ask(object, "entryType", words).first?.integer.flatMap(WalletEntry.init),
            let value = try bus.ask(object, "readEntry", words).first?.secret.flatMap(kind.value)
        else { return nil }
        let pairs: LookupAttributes.Pairs = [
            "server": ExactText(folder), "user": ExactText(key), "type": ExactText(kind.name),
        ]
        return OtherService.Item(label: "\(folder)/\(key)", lookup: LookupAttributes(pairs: pairs), value: value)
    }

    private func texts(_ method: String, _ place: [BusValue] = []) throws -> [String] {
        let answer = try bus.ask(object, method, place.isEmpty ? [] : place + [.text(Self.client)])
        return answer.first?.elements?.compactMap(\.string) ?? []
    }
}
