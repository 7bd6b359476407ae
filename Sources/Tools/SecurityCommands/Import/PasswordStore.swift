import Glibc
import KeychainModel
import LinuxSystem

/// `import-from pass`: the logins of pass(1), the password store, a file each that gpg opens.
///
/// The first line of a file is the password. Lines `login:`, `user:`, `username:` and `email:` name the account, `url:`
/// the address; all others are the note. Without such lines the file's path names host and account.
struct PasswordStore {
    private let session: Session
    private let folder: String
    private let gpg: ProgramOutput
    private let patience: Int
    private var items: [ImportedItem] = []
    private var report = LoginReport()

    private static let suffix = ".gpg"
    /// So many bytes a file may have behind gpg.
    private static let limit = 1 << 20
    /// The time for a file, in milliseconds: gpg asks its user for a passphrase meanwhile.
    private static let usualPatience = 600_000
    /// The variables that gpg and the program that asks for the passphrase need.
    private static let variables = [
        "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GNUPGHOME", "GPG_TTY", "HOME", "LANG", "LC_ALL", "PATH", "TERM",
        "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
    ]

    /// Reads all files of the store.
    ///
    /// - Parameters:
    ///   - folder: nil for the one of the variable PASSWORD_STORE_DIR, or `~/.password-store`.
    ///   - patience: the time for each file, in milliseconds.
    /// - Throws: a failure without gpg or without such a folder, and for a gpg that does not end.
    static func logins(
        in folder: String?, _ session: Session, patience: Int = usualPatience
    ) throws(CommandFailure) -> (items: [ImportedItem], report: LoginReport) {
        let home = session.environment("HOME").map { "\($0)/.password-store" }
        let usual = [session.environment("PASSWORD_STORE_DIR"), home].compactMap { $0 }.first { !$0.isEmpty }
        let folder = folder ?? usual ?? ".password-store"
        guard let program = session.path(ofProgram: "gpg") else {
            throw .failed("gpg is not installed", cause: "It opens the files of pass.", remedy: "Install gpg.")
        }
        var store = PasswordStore(session: session, folder: folder, program: program, patience: patience)
        let names = try store.names()
        let progress = Progress("pass", session)
        defer { progress?.end() }
        for (number, name) in names.enumerated() {
            try store.take(name)
            progress?.show("\(number + 1)/\(names.count)")
        }
        return (store.items, store.report)
    }

    private init(session: Session, folder: String, program: String, patience: Int) {
        (self.session, self.folder, self.patience) = (session, folder, patience)
        let environment = Dictionary(
            uniqueKeysWithValues: Self.variables.compactMap { key in session.environment(key).map { (key, $0) } })
        gpg = ProgramOutput(of: program, environment: environment, limit: Self.limit, patience: patience)
    }

    /// The files of the store, without their suffix.
    private mutating func names() throws(CommandFailure) -> [String] {
        do throws(SystemError) { return try names("") } catch {
            throw .failed(
                "import-from: \(folder) cannot be read", cause: unsafe String(cString: strerror(error.code)),
                remedy: "Name the folder of the password store.")
        }
    }

    /// The files in a folder of the store and those below. Hidden folders are git's.
    private mutating func names(_ prefix: String) throws(SystemError) -> [String] {
        var found: [String] = []
        for entry in try FolderEntries.names(in: "\(folder)/\(prefix)") where !entry.hasPrefix(".") {
            let name = "\(prefix)\(entry)"
            let isFile = entry.utf8.suffix(Self.suffix.utf8.count).elementsEqual(Self.suffix.utf8)
            let status = try? FileStatus(ofLink: "\(folder)/\(name)")
            if status?.isDirectory == true {
                do throws(SystemError) { found += try names("\(name)/") } catch {
                    report.unread.append((name, .folder))
                }
            } else if status?.isRegularFile == true {
                if isFile { found.append(String(name.dropLast(Self.suffix.count))) }
            } else if let reason = unread(name, status, isFile: isFile) {
                report.unread.append((name, reason))
            }
        }
        return found
    }

    /// Why a name that is neither a file's nor a folder's may have been a login's; nil where it has not.
    private func unread(_ name: String, _ status: FileStatus?, isFile: Bool) -> LoginReport.Unread? {
        guard status != nil else { return name.unicodeScalars.contains("\u{FFFD}") ? .name : nil }
        // Also for a folder elsewhere: a store may have a part of another one.
        let isFolder = (try? FileStatus(at: "\(folder)/\(name)"))?.isDirectory == true
        return isFile || isFolder ? .link : nil
    }

    // MARK: - One file

    private mutating func take(_ name: String) throws(CommandFailure) {
        let content: SecretBytes
        let words = ["--quiet", "--batch", "--yes", "--decrypt", "--", "\(folder)/\(name)\(Self.suffix)"]
        do throws(SystemError) { content = try gpg.text(words, errors: session.diagnostics.descriptor) } catch {
            // A user who does not answer gpg now would not for the next file.
            guard error.code != ETIMEDOUT else { throw .silentProgram(name, seconds: patience / 1000) }
            return report.unreadable.append(name)
        }
        guard let entry = PasswordEntry(content) else { return report.unreadable.append(name) }
        guard entry.password.count > 0 else { return report.empty += 1 }
        if entry.hasOneTimePassword { report.lost["otpauth", default: 0] += 1 }
        items.append(entry.login(name).item)
    }
}

extension CommandFailure {
    fileprivate static func silentProgram(_ name: String, seconds: Int) -> CommandFailure {
        .failed(
            "import-from: gpg does not end",
            cause: "It has worked on \(name) for \(seconds) seconds; nothing was imported.",
            remedy: "Open this file with gpg by hand, and repeat the import.")
    }
}
