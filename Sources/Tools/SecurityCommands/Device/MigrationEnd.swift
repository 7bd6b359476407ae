import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// One of the two keychains that items are carried between.
final class MigrationEnd {
    /// Its name in prompts.
    private let title: String
    private(set) var folder: String
    private let session: Session
    private let reach: () throws(Refusal) -> any KeychainConnection
    private var keychain: (any KeychainConnection)?
    /// Opens it; nil where none is set.
    private var passcode: SecretBytes?

    init(
        _ title: String, folder: String, _ session: Session,
        reach: @escaping () throws(Refusal) -> any KeychainConnection
    ) { (self.title, self.folder, self.session, self.reach) = (title, folder, session, reach) }

    /// Reaches it, and opens it with its password where one is set.
    func open() throws(CommandFailure) {
        let keychain = try refusing(reach)
        self.keychain = keychain
        guard case .status(let status) = try device(.status) else { return }
        folder = status.location
        guard status.passcodeIsSet else { return }
        passcode = try PasswordInput(session).passcode("password of \(title): ")
        _ = try device(.unlock, try file())
    }

    /// Sends an item request for the program that the group is named after.
    func answer(to request: ItemRequest, for group: String) throws(CommandFailure) -> ProgramAnswer {
        let work = DeviceRequest.access(.work(ProgramWork(group, [request])))
        guard case .access(.worked(let answers)) = try device(work, try file()), answers.count == 1 else {
            throw .refused(call: MigrateStore.call, .malformed("the answers"))
        }
        return answers[0]
    }

    /// Sends an item request of this command's own.
    func send(_ request: ItemRequest) throws(CommandFailure) -> ItemResponse {
        try refusing { () throws(Refusal) in try opened().send(request) }
    }

    private func device(_ request: DeviceRequest, _ files: [FileDescriptor] = []) throws(CommandFailure) -> DeviceReply
    {
        try refusing { () throws(Refusal) in try opened().device(request, passcodes: files) }
    }

    private func file() throws(CommandFailure) -> [FileDescriptor] {
        guard let passcode else { return [] }
        return [try Passcodes(session).file(passcode, MigrateStore.call)]
    }

    private func opened() throws(Refusal) -> any KeychainConnection {
        if let keychain { return keychain }
        let made = try reach()
        keychain = made
        return made
    }

    private func refusing<Result>(_ body: () throws(Refusal) -> Result) throws(CommandFailure) -> Result {
        do throws(Refusal) { return try body() } catch { throw .refused(call: MigrateStore.call, error) }
    }
}

/// The keychain of the system service, as an end.
struct ServiceEnd {
    let end: MigrationEnd

    init(_ session: Session) throws(CommandFailure) {
        let folder = try session.status(MigrateStore.call).location
        end = MigrationEnd("the keychain", folder: folder, session) { () throws(Refusal) in try session.connection() }
    }
}

extension OlderKeychain {
    /// The older store, as an end.
    func end(_ session: Session) -> MigrationEnd {
        MigrationEnd("the older keychain", folder: folder, session) { () throws(Refusal) in try reach() }
    }
}
