import Glibc
import KeychainModel
import LinuxSystem
import Systemd

/// The backend of xdg-desktop-portal for secrets: it gives each application in a sandbox a master secret, which the
/// application encrypts its own file of passwords with.
///
/// A secret that has been given out is never replaced, because what it has encrypted would be lost. So where the
/// application has such a file already, nothing is made: the secret of that file is elsewhere, and an import brings it.
/// Items of programs on the bus do not count, whatever their attributes.
struct SecretPortal {
    let bridge: Bridge

    static let path = "/org/freedesktop/portal/desktop"
    static let interface = "org.freedesktop.impl.portal.Secret"
    /// The name of xdg-desktop-portal, which says for which application it calls.
    static let frontend = "org.freedesktop.portal.Desktop"

    private static let version: UInt32 = 1
    /// How the portal's name of a Snap begins; the name of the Snap follows.
    private static let snap = "snap."
    /// As the usual backends have it.
    private static let secretBytes = 64

    func answer(_ call: BusCall) throws(BusFailure) -> [BusValue] {
        switch (call.interface, call.member) {
        case (StandardInterface.introspection, _): return [.text(Self.description)]
        case (StandardInterface.properties, "Get"):
            let names = try call.arguments("ss").compactMap(\.string)
            guard names == [Self.interface, "version"] else { throw .invalid("There is no such property here.") }
            return [.variant(.number(Self.version))]
        case (StandardInterface.properties, "GetAll"):
            return [.properties(["version": .number(Self.version)])]
        case (Self.interface, "RetrieveSecret"): return try retrieveSecret(call)
        default: throw BusFailure(.unknownMethod, "\(call.interface) has no method \(call.member) here.")
        }
    }

    private func retrieveSecret(_ call: BusCall) throws(BusFailure) -> [BusValue] {
        let arguments = try call.arguments("osha{sv}")
        try checkIsFrontend(call)
        guard let application = arguments[1].string, Self.isName(application), let file = arguments[2].file else {
            throw .invalid("The name of the application is none.")
        }
        try Self.deliver(try secret(of: application), to: file)
        return [.number(0), .properties([:])]
    }

    private func checkIsFrontend(_ call: BusCall) throws(BusFailure) {
        guard bridge.owner == .outside, try bridge.clients.has(Self.frontend, call.client) else {
            throw BusFailure(.accessDenied, "Only xdg-desktop-portal asks for the secrets of applications.")
        }
    }

    /// Checks a call that passes open files. No other call has any, and this process can have so many open.
    ///
    /// - Throws: `InvalidArgs` for another call, `AccessDenied` for one of another client.
    func checkTakesFiles(_ call: BusCall) throws(BusFailure) {
        guard (call.path, call.interface, call.member) == (Self.path, Self.interface, "RetrieveSecret") else {
            throw .invalid("\(call.member) takes no open files.")
        }
        try checkIsFrontend(call)
    }

    // MARK: - The secret

    private func secret(of application: String) throws(BusFailure) -> SecretBytes {
        if let known = try known(application) { return known }
        try Self.checkHasNoFile(application)
        let secret = SecretBytes(copying: Randomness.bytes(Self.secretBytes).span)
        try asking { () throws(Refusal) in try bridge.secrets.addMasterSecret(secret, of: application) }
        guard let added = try known(application) else {
            throw BusFailure(.failed, "The secret of “\(application)” was not stored.")
        }
        return added
    }

    private func known(_ application: String) throws(BusFailure) -> SecretBytes? {
        try asking { () throws(Refusal) in try bridge.secrets.masterSecret(of: application) }
    }

    /// Refuses a new secret where the application has passwords under an older one.
    private static func checkHasNoFile(_ application: String) throws(BusFailure) {
        guard !application.isEmpty, let home = unsafe getenv("HOME").map({ unsafe String(cString: $0) }) else { return }
        for folder in try folders(of: application, below: home) where try !names(in: folder, application).isEmpty {
            throw .older(application, folder)
        }
    }

    /// Where libsecret has the passwords of an application. A Snap has a home for each of its revisions, and a folder
    /// that they share.
    private static func folders(of application: String, below home: String) throws(BusFailure) -> [String] {
        var folders = ["\(home)/.var/app/\(application)/data/keyrings"]
        guard application.hasPrefix(snap) else { return folders }
        for place in ["snap", ".snap/data"] {
            let homes = "\(home)/\(place)/\(application.dropFirst(snap.count))"
            folders += try names(in: homes, application).map { "\(homes)/\($0)/.local/share/keyrings" }
        }
        return folders
    }

    /// The names in a folder; none where it is missing. A folder that cannot be read may have passwords.
    private static func names(in folder: String, _ application: String) throws(BusFailure) -> [String] {
        do throws(SystemError) { return try FolderEntries.names(in: folder) } catch {
            if [ENOENT, ENOTDIR].contains(error.code) { return [] }
            throw .older(application, folder)
        }
    }

    /// Names of applications are of letters, digits, dots, hyphens and underscores; programs outside of sandboxes have
    /// none.
    static func isName(_ name: String) -> Bool {
        name.utf8.count <= 255 && name != "." && name != ".."
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || Array("-._".utf8).contains(byte)
            }
    }

    // MARK: - The way to the application

    /// Writes a secret into a pipe or a socket without waiting for its reader.
    ///
    /// - Throws: `InvalidArgs` for any other file, and where there is no room.
    static func deliver(_ secret: SecretBytes, to file: FileDescriptor) throws(BusFailure) {
        let written = secret.withSpan { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                // A socket never waits by this flag. A pipe is opened once more, so that the application's own end
                // stays as it is.
                let sent = unsafe send(file.number, bytes.baseAddress, bytes.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
                guard sent < 0, errno == ENOTSOCK, file.isPipe,
                    let pipe = try? FileDescriptor.open("/proc/self/fd/\(file.number)", O_WRONLY | O_NONBLOCK)
                else { return sent }
                return unsafe write(pipe.number, bytes.baseAddress, bytes.count)
            }
        }
        guard written == secret.count else { throw .invalid("The secret goes into a pipe or a socket with room.") }
    }

    private static let description = """
        <node><interface name="\(interface)"><method name="RetrieveSecret"><arg type="o" direction="in"/>\
        <arg type="s" direction="in"/><arg type="h" direction="in"/><arg type="a{sv}" direction="in"/>\
        <arg type="u" direction="out"/><arg type="a{sv}" direction="out"/></method>\
        <property name="version" type="u" access="read"/></interface></node>
        """
}

extension BusFailure {
    fileprivate static func older(_ application: String, _ folder: String) -> BusFailure {
        BusFailure(
            .failed,
            "“\(application)” has passwords that another keyring's secret opens (\(folder)). Import that keyring "
                + "(security import-from gnome-keyring), or remove the folder.")
    }
}
