import CommandOptions
import EnclaveWire
import Glibc
import KeychainMaster
import KeychainStore
import KeychainWire
import LinuxSystem
import SystemAccounts

/// The system service's master: its sockets, its user, and the daemons it starts.
enum SystemServiceProgram {
    /// Serves until it is told to end: as the master where systemd or a supervisor has started it, else as the
    /// supervisor.
    ///
    /// - Throws: what keeps it from serving.
    static func run(_ options: SystemOptions, log: @escaping @Sendable (String) -> Void) throws {
        if options.asksForHelp { return print(SystemOptions.table.help) }
        try DaemonProcess.harden()
        let inherited = try SocketActivation.sockets()
        if inherited.isEmpty, !options.isSupervised { return try Supervisor.run(options, log: log) }
        try serve(options, inherited, log: log)
    }

    private static func serve(
        _ options: SystemOptions, _ inherited: [UnixSocket], log: @escaping @Sendable (String) -> Void
    ) throws {
        let signals = MasterSignals()
        // Passed-on sockets come with the right user.
        let account = inherited.isEmpty ? try Account(options.user) : nil
        let entrances = try account.map { try bind(options, $0) } ?? inherited.map(entrance)
        try Privileges.reduce(to: account, keeping: [])
        // A change of user has undone this.
        try ProcessHardening.forbidDumps()
        try ProcessHardening.forbidNewPrivileges()
        _ = try ProcessLimits.raiseOpenFilesLimit()
        let program = try Keychaind.ownPath()
        let master = try Master(
            entrances, mostUserDaemons: Int(options.keychains),
            start: { (owner, control) throws(SystemError) in
                try startWard(program, owner, control, options, log)
            },
            clerk: { (channel) throws(SystemError) in
                try ChildProcess.start(
                    program, ["--accounts", "\(ChildProcess.firstDescriptor)"], handing: [channel.descriptor])
            },
            hasKeychain: { ItemStore.exists(in: "\(options.state)/\(KeychainOwner.user($0))") },
            identifier: options.identifier, log: log)
        let end = try signals.await(orEndOf: options.lifeline)
        if let ready = options.ready { _ = try? ready.write([1].span) }
        try master.run(until: end.descriptor, watchdog: Watchdog(lifeline: options.lifeline))
    }

    /// Starts the daemon of a keychain, with the channel to its enclave: it cannot connect anywhere itself, so that one
    /// in wrong hands has its owner's vault and no other. One whose enclave cannot be reached says so to those who ask.
    private static func startWard(
        _ program: String, _ owner: KeychainOwner, _ control: UnixSocket, _ options: SystemOptions,
        _ log: (String) -> Void
    ) throws(SystemError) -> ChildProcess {
        let store = "\(options.state)/\(owner)"
        let enclave: UnixSocket?
        do throws(SystemError) {
            let summons = EnclaveStartRequest(owner: owner, createIfMissing: !ItemStore.exists(in: store))
            enclave = try EnclaveProcess.summon(summons, from: options.enclave)
        } catch {
            log("the enclave of keychain \(owner) cannot be reached: \(error)")
            enclave = nil
        }
        let first = ChildProcess.firstDescriptor
        let own = ["--keychain", "\(owner)", "--store", store, "--control", "\(first)"]
        let channel = enclave == nil ? [] : ["--enclave", "\(first + 1)"]
        return try ChildProcess.start(
            program, own + channel + options.userDaemonArguments,
            handing: [control.descriptor] + (enclave.map { [$0.descriptor] } ?? []))
    }

    /// A socket of a service manager's, by the name of its file.
    private static func entrance(_ socket: UnixSocket) throws -> Master.Entrance {
        let path = try socket.localPath()
        guard let purpose = Master.Purpose(rawValue: String(path[path.folder.endIndex...])) else {
            throw DaemonArguments.Mistake("No socket of the system service is called \(path).")
        }
        return Master.Entrance(socket, for: purpose)
    }

    /// Makes sockets and folders as root does.
    private static func bind(_ options: SystemOptions, _ account: Account) throws -> [Master.Entrance] {
        guard CurrentProcess.user == 0 else {
            throw DaemonArguments.Mistake("The system service is started by systemd, or by root.")
        }
        try ServiceFolder.make(options.sockets, mode: 0o755, owner: 0)
        try ServiceFolder.make(options.state, mode: 0o700, owner: account.user)
        return try Master.Purpose.allCases.map { purpose in
            let path = "\(options.sockets)/\(purpose.rawValue)"
            return Master.Entrance(try UnixSocket.listen(at: path, mode: purpose.mode), for: purpose)
        }
    }
}
