import Glibc
import KeychainClient
import KeychainModel
package import LinuxSystem
import Systemd

/// `keychain-secrets --import`: takes along what another keyring has: the program that is the Secret Service on a bus
/// now, a file of gnome-keyring's, or KWallet.
package struct ImportProgram {
    /// The deeds that a command line can ask for.
    package enum Deed: Sendable {
        /// Shows what would be added.
        case show
        case add
        /// Deletes what imports have added and nobody has changed since, and their empty collections.
        case undo
    }

    /// Where an import comes from.
    package enum Origin: Sendable {
        case service
        /// KWallet on the bus.
        case wallet
        /// A file; nil where none is named, to take imports of files back.
        case file(String?, password: KeyringPassword)
    }

    private let address: String
    /// The language of the outcome; nil for JSON.
    private let language: UserLanguage?
    /// Where it notes what it has brought as a whole; nil for nowhere.
    private let folders: UserFolders?
    private let secrets: KeychainSecrets

    /// - Parameters:
    ///   - address: the bus's, as in `DBUS_SESSION_BUS_ADDRESS`.
    ///   - language: that of the outcome; nil for JSON.
    ///   - environment: gives the value of a variable.
    /// - Throws: `errSecParam` (`configuration.*`) for settings that make no sense; `SystemError`.
    package init(address: String, in language: UserLanguage?, _ environment: (String) -> String?) throws {
        (self.address, self.language, folders) = (address, language, UserFolders(environment))
        let questions = try Questions(BridgeProgram.configuration(), address: address)
        secrets = KeychainSecrets { () throws(Refusal) in try questions.reach() }
    }

    /// Does it.
    ///
    /// - Returns: what was done, as lines of text, and whether everything is in the keychain.
    /// - Throws: ``ImportFailure``, ``BusError``, ``BusFailure``, `Refusal`, `SystemError` where it cannot be done.
    package func run(_ deed: Deed, from origin: Origin) throws -> (lines: [String], isComplete: Bool) {
        guard deed != .undo else { return (try undone(origin.kind.rawValue), true) }
        let keyrings = KeyringsBefore(of: origin.kind, in: folders)
        let report = try imported(from: origin, isTrial: deed == .show)
        if deed == .add, report.isComplete, isInUsualPlace(origin) { keyrings?.noteImported(report.collections) }
        guard let language else { return ([report.json], report.isComplete) }
        return (report.sentences(isTrial: deed == .show).map { $0(language) }, report.isComplete)
    }

    private func imported(from origin: Origin, isTrial: Bool) throws -> ImportReport {
        switch origin {
        case .service:
            _ = try owner()
            let other = try OtherService(try SystemBus(session: address))
            return try SecretImport.run(from: other, to: secrets, isTrial: isTrial)
        case .wallet:
            let wallets = try WalletService(try SystemBus(session: address))
            return try SecretImport.run(from: wallets, to: secrets, isTrial: isTrial)
        case .file(let path?, let password):
            let file = try KeyringFile(path) { try password.read(for: path, in: language ?? .english) }
            return try SecretImport.run(from: file, to: secrets, isTrial: isTrial)
        case .file(nil, _): throw ImportFailure("No file is named.", "没有指定文件。")
        }
    }

    /// Whether the files of the keyring are where they are looked for. Another Secret Service than gnome-keyring may
    /// have its files anywhere.
    private func isInUsualPlace(_ origin: Origin) -> Bool {
        guard case .service = origin else { return true }
        return (try? owner())?.split(separator: "/").last == "gnome-keyring-daemon"
    }

    private func undone(_ note: String) throws -> [String] {
        if let folders { try ImportedKeyrings(state: folders.state).forget() }
        let (deleted, changed) = try secrets.deleteUnchanged(withNote: note)
        let collections = try secrets.deleteEmptyCollections(withNote: note)
        guard let language else {
            return ["{\"deleted\":\(deleted),\"changed\":\(changed),\"collections\":\(collections)}"]
        }
        let items = PromptText(
            english: "\(deleted) imported items were deleted; \(changed) were changed since, and stay.",
            chinese: "已删除 \(deleted) 个导入的项目；\(changed) 个在导入后已更改，予以保留。")
        let places = PromptText(
            english: "Collections that the import had made and that are empty were deleted: \(collections).",
            chinese: "已删除由导入创建且为空的密码集：\(collections) 个。")
        return (collections > 0 ? [items, places] : [items]).map { $0(language) }
    }

    /// The program that is imported from.
    private func owner() throws -> String {
        guard let owner = try NameOwner.executable(onBus: address) else {
            throw Refusal(
                .notAvailable, .unavailable, BridgeProgram.name, "No program on this bus is \(BridgeProgram.name).",
                do: "Start the older keyring, for example gnome-keyring-daemon --start --components=secrets.")
        }
        guard owner.split(separator: "/").last != "keychain-secrets" else {
            throw Refusal(
                .notAvailable, .unavailable, BridgeProgram.name, "The keychain itself is \(BridgeProgram.name) here.",
                do: "Run `security setup --undo desktop`, log in again, and repeat the import.")
        }
        return owner
    }
}

extension ImportProgram.Origin {
    fileprivate var kind: KeyringImport {
        switch self {
        case .service: OtherService.origin
        case .wallet: WalletService.origin
        case .file: KeyringFile.origin
        }
    }
}

extension ImportReport {
    /// The outcome, a sentence each.
    fileprivate func sentences(isTrial: Bool) -> [PromptText] {
        var lines = [
            isTrial
                ? PromptText(english: "\(added) items would be added.", chinese: "将添加 \(added) 个项目。")
                : PromptText(english: "\(added) items were added.", chinese: "已添加 \(added) 个项目。"),
            PromptText(
                english: "\(same) items are in the keychain already.", chinese: "\(same) 个项目已在钥匙串中。"),
        ]
        lines += different.map { label in
            PromptText(
                english: "left out: “\(label.shown)”, which the keychain has with another value",
                chinese: "未导入：“\(label.shown)”，钥匙串中已有，但值不同")
        }
        lines += closed.map { label in
            PromptText(
                english: "left out: the collection “\(label.shown)”, which is locked",
                chinese: "未导入：密码集“\(label.shown)”，它已锁定")
        }
        if unreadable > 0 {
            lines.append(
                PromptText(
                    english: "left out: \(unreadable) items without a value, or above the keychain's limits",
                    chinese: "未导入：\(unreadable) 个没有值或超出钥匙串限制的项目"))
        }
        return lines + [
            PromptText(
                english: "Not taken along: dates, paths of objects, lists of programs that may read an item.",
                chinese: "不会导入：日期、对象路径、可读取项目的程序列表。")
        ]
    }
}

extension String {
    /// The text as a terminal may have it.
    fileprivate var shown: String { ForeignText.shown(self) }
}
