import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `accept-store`: says that a store which is older than the last one is meant.
enum AcceptStore {
    private static let call = "accept-store"

    static let command = Command(
        "accept-store", "Say that a store from a copy is meant, although it is older.",
        synopsis: "[-p password] [keychain]",
        options: [CommandOption("p", value: "password", isSecret: true, "The keychain's password.")],
        notes: [
            """
            After an earlier copy of the store was put back, the keychain serves it and reports it in `security \
            status`, in `security verify-keychain` and in the daemon's log, until this command says that it is meant. \
            On a TPM it also takes store and vault of one copy for those that are meant; nothing opens before. A \
            keychain without a password asks for none. Look first who put the copy back. A store whose log was damaged \
            counts as older too; the log, keychain.db-wal.damaged, is removed then.
            """
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        try session.turn(to: arguments.operands.first, call)
        let passcodes = Passcodes(session)
        let isSet = try session.status(call).passcodeIsSet
        let passcode = isSet ? try passcodes.get(arguments.value("p"), prompt: "password to accept the store: ") : nil
        try passcodes.send(.acceptStore, [passcode ?? SecretBytes(count: 0)], call)
    }
}

extension KeychainAge {
    /// The name in `--json`.
    var name: String {
        switch self {
        case .current: "current"
        case .olderStore: "older-store"
        case .olderVault: "older-vault"
        case .olderKeychain: "older-keychain"
        }
    }

    /// The line for a person; nil when there is nothing to tell.
    var warning: String? {
        switch self {
        case .current: nil
        case .olderStore:
            "The store is older than the one that was here, has a damaged log, or is not marked by this vault."
        case .olderVault: "The vault is older than the one that was here; nothing opens with it."
        case .olderKeychain: "Store and vault are older than this machine's TPM has seen them; nothing opens."
        }
    }

    /// The remedy.
    var remedy: String {
        switch self {
        case .current: "Nothing has to be done."
        case .olderStore, .olderKeychain:
            "If this copy is meant, say so with `security accept-store`; else put the newest back."
        case .olderVault: "Put the newest vault back, or vault and store of the same backup."
        }
    }
}
