import Glibc
package import KeychainModel
import LinuxSystem

extension KeychainStatus {
    package static let noSuchKeychain = Self(rawValue: -25294)
    package static let invalidKeychain = Self(rawValue: -25295)
    package static let duplicateKeychain = Self(rawValue: -25296)
}

extension Refusal.Rule {
    /// No keychain has the name.
    package static let noSuchKeychain = Self(rawValue: "keychains.no-such-keychain")
    /// The file is not one that names a keychain.
    package static let invalidKeychain = Self(rawValue: "keychains.invalid")
    /// There is something at the path of a new keychain.
    package static let duplicateKeychain = Self(rawValue: "keychains.duplicate")
    /// The user has as many keychains as one may have.
    package static let tooManyKeychains = Self(rawValue: "keychains.too-many")
}

extension Refusal {
    /// Whether it is that the user did not answer in time.
    package var isOfUser: Bool { rule == .deadline && subject == "user" }

    /// Whether a keychain cannot be used, and it is not what was asked of it that was refused.
    package var isOfKeychain: Bool {
        guard rule != .unknownOutcome, !isOfUser else { return false }
        return [.notAvailable, .noSuchKeychain, .invalidKeychain, .io].contains(status)
    }

    static func noSuchKeychain(_ name: String) -> Refusal {
        Refusal(
            .noSuchKeychain, .noSuchKeychain, name, "No keychain is called \"\(name)\".",
            do: "`security list-keychains` shows the names there are; login.keychain is always there.")
    }

    static func namesNothing(_ path: String) -> Refusal {
        Refusal(
            .noSuchKeychain, .noSuchKeychain, path,
            "\(path) names a keychain of another machine, user or home, or one that was deleted.",
            do: "Export its items where it is, and import them here; the file itself has none.")
    }

    static func copiedName(_ path: String, of original: String) -> Refusal {
        Refusal(
            .notAvailable, .invalidKeychain, path, "\(path) is a copy of \(original), which names the keychain.",
            do: "Delete that one, or remove the copy (rm); it has no items of its own.")
    }

    static func notANameFile(_ path: String, _ reason: String) -> Refusal {
        Refusal(
            .invalidKeychain, .invalidKeychain, path, "\(path) does not name a keychain: \(reason).",
            do: "Give the path that create-keychain was given.")
    }

    static func duplicate(_ path: String) -> Refusal {
        Refusal(
            .duplicateKeychain, .duplicateKeychain, path, "There is something at \(path).",
            do: "Use another name, or delete it first (security delete-keychain).")
    }

    static func duplicateNamesNothing(_ path: String) -> Refusal {
        Refusal(
            .duplicateKeychain, .duplicateKeychain, path,
            "\(path) names a keychain of another machine, user or home, or one that was deleted.",
            do: "Remove the file if no other home uses it, or use another name.")
    }

    static func replaced(_ path: String, _ store: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, path, "\(store) was moved or replaced while \(path) was made.",
            do: "Find out which program did that, then try again.")
    }

    static func notAPath(_ path: String) -> Refusal {
        Refusal(
            .param, .invalidKeychain, path, "The path of a keychain is empty or not UTF-8, or has a control character.",
            do: "Choose another name, or go to another folder.")
    }

    static func namesFolder(_ name: String) -> Refusal {
        Refusal(
            .param, .invalidKeychain, name, "The name of a keychain is that of a folder.",
            do: "Choose another name, or go to another folder.")
    }

    static func pathTooLong(_ path: String) -> Refusal {
        Refusal(
            .param, .invalidKeychain, String(path.prefix(80)) + "…",
            "The path of a keychain has at most \(PATH_MAX - 1) bytes, and its last part \(NAME_MAX).",
            do: "Choose a shorter name.")
    }

    static func listTooLong(_ path: String, most: Int) -> Refusal {
        Refusal(
            .param, .tooManyKeychains, path,
            "The search list would have more than \(most) keychains; it is unchanged.",
            do: "Leave out those that are not needed.")
    }

    static func lostName(_ path: String, _ lost: String) -> Refusal {
        Refusal(
            .noSuchKeychain, .noSuchKeychain, path,
            "The name file of this keychain was made at \(lost) and has gone from there; without a password, "
                + "\(path) is no proof of whose it is.",
            do: "Move the file back. A keychain with a password is adopted by `security unlock-keychain`.")
    }

    static func tooMany(_ folder: String, most: Int) -> Refusal {
        Refusal(
            .notAvailable, .tooManyKeychains, folder,
            "There are \(most) keychains in \(folder), and no more are kept.",
            do: "Delete some; `security list-keychains --orphans` shows those whose name file has gone.")
    }

    static func namedInService(_ name: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, name,
            "The system service keeps one keychain for each user, and none with a name.",
            do: "Use login.keychain, a throw-away keychain (security ci-start), or set KEYCHAIN_HOME.")
    }

    static func noList(_ path: String, _ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, path, "Cannot read the search list: \(error).",
            do: "Look at \(path), or remove it: the list is login's keychain alone then.")
    }

    static func cannot(_ what: String, _ path: String, _ error: SystemError) -> Refusal {
        Refusal(
            error.code == ENOSPC ? .diskFull : .notAvailable, .unavailable, path, "Cannot \(what): \(error).",
            do: "Check \(path) and the space on its disk.")
    }
}
