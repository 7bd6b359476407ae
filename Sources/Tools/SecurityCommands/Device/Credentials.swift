import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// The credential that opens the keychain: its password, or the one that the options of a command name instead.
struct CredentialChoice {
    /// Switches for commands that take another credential than the password.
    static let recovery = CommandOption("R", word: "recovery", "Ask for a recovery code instead of the password.")
    static let pin = CommandOption("N", word: "pin", "Ask for the PIN instead of the password.")

    let kind: CredentialKind
    /// Its name in a prompt.
    let name: String

    init(_ arguments: ParsedArguments, mayBePIN: Bool = true) throws(CommandFailure) {
        switch (arguments.has("R"), mayBePIN && arguments.has("N")) {
        case (true, true): throw .usage("give either a recovery code or a PIN")
        case (true, false): (kind, name) = (.recoveryCode, "recovery code")
        case (false, true): (kind, name) = (.pin, "PIN")
        case (false, false): (kind, name) = (.passcode, "password")
        }
    }
}
