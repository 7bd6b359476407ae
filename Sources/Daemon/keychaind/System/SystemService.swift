import Glibc
import KeychainMaster
import KeychainStore
import KeychainWire
import LinuxSystem
import SystemAccounts

/// The system service's master: its sockets, its user, and the daemons it starts.
enum SystemService {
    /// Serves until it is told to end.
    ///
    /// - Throws: what keeps it from serving; `SystemError` with `ECHILD` when the enclave's listener has ended.
    static func run(_ options: SystemOptions, log: @escaping @Sendable (String) -> Void) throws {
        if options.asksForHelp { return print(SystemOptions.helpText) }
        try Surroundings.harden()
        let signals = MasterSignals()
        let inherited = try SocketActivation.sockets()
        // Passed-on sockets come with the right user, and with an enclave.
        let account = inherited.isEmpty ? try Account(options.user) : nil
        let entrances = try account.map { try bind(options, $0) } ?? inherited.map(entrance)
        let enclave = try account.flatMap { try startEnclave(options, $0) }
        try Privileges.reduce(to: account, keeping: [.seeProcesses])
        // A change of user has undone this.
        try ProcessHardening.forbidDumps()
        try ProcessHardening.forbidNewPrivileges()
        _ = try Surroundings.raiseOpenFilesLimit()
        let program = try Keychaind.ownPath()
        let master = try Master(
            entrances, mostWards: Int(options.keychains),
            start: { (owner, control) throws(SystemError) in
                try startWard(program, owner, control, options, log)
            },
            clerk: { (channel) throws(SystemError) in
                try ChildProcess.start(
                    program, ["--accounts", "\(ChildProcess.firstDescriptor)"], handing: [channel.descriptor])
            },
            hasKeychain: { ItemStore.exists(in: "\(options.state)/\(KeychainOwner.user($0))") }, log: log)
        let end = try signals.await(orEndOf: enclave?.process)
        if let ready = options.ready { _ = try? ready.write([1].span) }
        try master.run(until: end.descriptor)
        if let enclave, !enclave.end() {
            throw SystemError(code: ECHILD, call: "waitpid", advice: "keychain-enclaved has ended")
        }
    }

    /// Starts the daemon of a keychain, with the channel to its enclave: it cannot connect anywhere itself, so that one in wrong hands
    /// has its owner's vault and no other. One whose enclave cannot be reached says so to those who ask.
    private static func startWard(
        _ program: String, _ owner: KeychainOwner, _ control: UnixSocket, _ options: SystemOptions,
        _ log: (String) -> Void
    ) throws(SystemError) -> ChildProcess {
        let store = "\(options.state)/\(owner)"
        let enclave: UnixSocket?
        do throws(SystemError) {
            let summons = EnclaveSummons(owner: owner, createIfMissing: !ItemStore.exists(in: store))
            enclave = try EnclaveProcess.summon(summons, from: options.enclave)
        } catch {
            log("the enclave of keychain \(owner) cannot be reached: \(error)")
            enclave = nil
        }
        let first = ChildProcess.firstDescriptor
        let own = ["--keychain", "\(owner)", "--store", store, "--control", "\(first)"]
        let channel = enclave == nil ? [] : ["--enclave", "\(first + 1)"]
        return try ChildProcess.start(
            program, own + channel + options.wardArguments,
            handing: [control.descriptor] + (enclave.map { [$0.descriptor] } ?? []))
    }

    /// A socket of a service manager's, by the name of its file.
    private static func entrance(_ socket: UnixSocket) throws -> Master.Entrance {
        let path = try socket.localPath()
        guard let purpose = Master.Purpose(rawValue: String(path[path.folder.endIndex...])) else {
            throw Arguments.Mistake("No socket of the system service is called \(path).")
        }
        return Master.Entrance(socket, for: purpose)
    }

    /// Makes sockets and folders as root does.
    private static func bind(_ options: SystemOptions, _ account: Account) throws -> [Master.Entrance] {
        guard CurrentProcess.user == 0 else {
            throw Arguments.Mistake("The system service is started by systemd, or by root.")
        }
        try ServiceFolder.make(options.sockets, mode: 0o755, owner: 0)
        try ServiceFolder.make(options.state, mode: 0o700, owner: account.user)
        return try Master.Purpose.allCases.map { purpose in
            let path = "\(options.sockets)/\(purpose.rawValue)"
            return Master.Entrance(try UnixSocket.listen(at: path, mode: purpose.mode), for: purpose)
        }
    }

    /// Starts the enclave's listener, unless there is one.
    private static func startEnclave(_ options: SystemOptions, _ account: Account) throws -> EnclaveService? {
        if (try? UnixSocket.connect(to: options.enclave, deadline: .after(milliseconds: 1000))) != nil { return nil }
        return try EnclaveService(
            program: try Keychaind.ownPath().folder + "keychain-enclaved",
            arguments: [
                "--listen", options.enclave, "--state", options.enclaveState, "--user", options.enclaveUser,
                "--accept-from", String(account.user), "--tpm", options.tpm,
            ])
    }
}

/// The enclave's listener, started by the master: it ends when the master has gone.
final class EnclaveService {
    let process: ChildProcess
    private let lifeline: UnixSocket

    /// How long it may take to start: milliseconds.
    private static let patience = 10_000

    /// Starts it and waits until it listens.
    init(program: String, arguments: [String]) throws(SystemError) {
        let (ours, theirs) = try UnixSocket.pair()
        let (reader, writer) = try FileDescriptor.pipe()
        let first = ChildProcess.firstDescriptor
        process = try ChildProcess.start(
            program, arguments + ["--until", "\(first)", "--ready-fd", "\(first + 1)"],
            handing: [theirs.descriptor, writer])
        lifeline = ours
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        _ = try withExtendedLifetime(theirs) { () throws(SystemError) in
            try reader.readFully(into: &span, deadline: .after(milliseconds: Self.patience))
        }
    }

    /// Ends it; false when it has ended before.
    func end() -> Bool {
        let hasEnded: Void? = try? process.endDescriptor().wait(for: .readable, deadline: .now)
        shutdown(lifeline.descriptor.number, CInt(SHUT_RDWR))
        process.reap()
        return hasEnded == nil
    }
}
