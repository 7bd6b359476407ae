import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The program that carries the batches of a circle, as the command starts it.
struct Carrier {
    private let session: Session
    static let unit = "keychain-carrier.service"

    init(_ session: Session) { self.session = session }

    private static let program = "keychain-carrier"
    /// The exit status that says that another carrier is at it: `EX_TEMPFAIL` of sysexits.
    private static let otherCarrier: CInt = 75
    /// The one that says that the daemon does not answer: `EX_UNAVAILABLE`.
    private static let daemonUnreachable: CInt = 69
    private static let noLook = "the circle's place could not be looked at"
    /// Milliseconds. A first round may move hundreds of MiB.
    private static let longestRound = 3_600_000
    private static let longestWish = 60_000

    /// Looks and sends once.
    ///
    /// - Parameter founds: makes the circle's place first.
    /// - Throws: ``CommandFailure`` when the place cannot be used.
    func goRound(founds: Bool) throws(CommandFailure) {
        let (_, code) = try start(founds ? "--found" : "--once", with: SecretBytes(count: 0))
        if code == Self.otherCarrier { return try waitForOther(founds: founds) }
        guard code != Self.daemonUnreachable else {
            throw .failed("the keychain's daemon ended while it was asked", remedy: "Repeat the command.")
        }
        guard code == 0 else {
            throw .failed(
                Self.noLook,
                remedy: founds
                    ? "See to the place, then repeat the command: the circle is begun already."
                    : "See `security sync status`, then repeat `security sync now`.")
        }
    }

    private func start(
        _ word: String, with input: SecretBytes
    ) throws(CommandFailure) -> (answer: String, code: CInt?) {
        let path = try program()
        session.flush()
        do throws(SystemError) {
            let (answer, code) = try ChildProcess.answer(
                of: path, [word], environment: environment, to: input, atMost: 4096,
                deadline: .after(milliseconds: Self.longestRound))
            return (answer.withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) }, code)
        } catch { throw CommandFailure(path, error) }
    }

    /// Has the messages of a pairing carried while something runs. The program is in a group of its own, so that Ctrl-C
    /// does not end it before it has taken the messages away.
    func pairing<Result>(_ body: () throws(CommandFailure) -> Result) throws(CommandFailure) -> Result {
        let path = try program()
        session.flush()
        let (environment, connection) = (environment, try reached())
        let carrier: PairingProgram
        do throws(SystemError) {
            carrier = try PairingProgram { () throws(SystemError) in
                let nowhere = try FileDescriptor.open("/dev/null", O_RDWR)
                return try .start(path, ["--pair"], environment: environment, input: nowhere, output: nowhere)
            } hasGone: {
                let problem = "keychain-carrier has ended, and does not come back"
                _ = try? connection.device(.sync(.pairing(.fails(problem))), passcodes: [])
            }
        } catch { throw CommandFailure(path, error) }
        defer { carrier.end(within: Self.longestWish) }
        return try body()
    }

    private func reached() throws(CommandFailure) -> any KeychainConnection {
        do throws(Refusal) { return try session.connection() } catch {
            throw .refused(call: SyncCommand.call, error)
        }
    }

    private func program() throws(CommandFailure) -> String {
        guard let path = InstalledPrograms.find(Self.program) else {
            throw .failed("keychain-carrier is not installed", remedy: "Install it in the folder of `security`.")
        }
        return path
    }

    /// The variables by which the programs find the same keychain and the same service manager.
    private var environment: [String: String] {
        let pairs = CarrierVariables.names.compactMap { name in session.environment(name).map { (name, $0) } }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The carrier that runs already takes the wish for a round away when it has looked, or could not.
    ///
    /// - Parameter founds: the place was made just now, and the carrier may have looked before.
    private func waitForOther(founds: Bool) throws(CommandFailure) {
        if founds { hurry() }
        let limit = Deadline.after(milliseconds: Self.longestWish)
        while !limit.hasPassed {
            guard case .sync(.positions(let positions)) = try session.device(.sync(.positions), SyncCommand.call)
            else { throw .unexpectedCircleReply }
            if !positions.isWanted {
                do throws(CommandFailure) { return try checkLook() } catch {
                    guard founds else { throw error }
                    hurry()
                }
            }
            usleep(50_000)
        }
        throw .failed(
            "the carrier has not looked at the circle's place yet",
            remedy: "See `systemctl --user status keychain-carrier`.")
    }

    /// - Throws: ``CommandFailure`` when the carrier's last look has failed.
    private func checkLook() throws(CommandFailure) {
        guard case .sync(.status(let status?)) = try session.device(.sync(.status), SyncCommand.call),
            !status.problem.isEmpty
        else { return }
        throw .failed(Self.noLook, cause: status.problem, remedy: "Then repeat `security sync now`.")
    }

    /// Has a carrier that runs look soon; without one nothing happens.
    func hurry() { _ = try? session.device(.sync(.now), SyncCommand.call) }

    // MARK: - The circle's place

    /// Tries a place, and keeps what this machine is to show there.
    ///
    /// - Parameter secret: the invitation of a server, empty on a machine that joins; the two keys of a bucket.
    /// - Returns: SHA-256 of the machine's token; nothing for a place without tokens.
    /// - Throws: ``CommandFailure`` when the place cannot be used; nothing is kept then.
    func prepare(
        _ place: SyncPlace, _ secret: SecretBytes, _ entry: WayIntoCircle
    ) throws(CommandFailure) -> [UInt8] {
        let input = SecretBuffer()
        let way = entry == .recovers ? [SecretBytes(copying: Array("recovery".utf8).span)] : []
        for line in [SecretBytes(copying: Array(place.text.utf8).span), secret] + way {
            line.withSpan { input.append($0) }
            input.append(UInt8(ascii: "\n"))
        }
        let words = try answer("--prepare", input.finish(), "the circle cannot be kept at this place")
        return words.first.map { Array(hexadecimal: $0) } ?? []
    }

    /// Has the place let a machine in.
    ///
    /// - Throws: ``CommandFailure`` when it could not be told.
    func admit(_ code: MachineCode) throws(CommandFailure) {
        let input = SecretBytes(copying: Array("\(code.keys.bytes.digits)\n\(code.tokenHash.digits)\n".utf8).span)
        _ = try answer("--admit", input, "the machine was added, but the server does not know it yet")
    }

    /// Has the daemon given what a place has, for a recovery key.
    ///
    /// - Parameter circle: nil for all circles of a folder, and for the one that a server's invitation is into.
    /// - Throws: ``CommandFailure`` when the place cannot be read, or has none.
    func bring(_ place: SyncPlace, _ circle: CircleID?) throws(CommandFailure) {
        let input = SecretBytes(copying: Array("\(place.text)\n\(circle?.text ?? "")\n".utf8).span)
        _ = try answer("--recover", input, "the circle's place could not be read")
    }

    /// Forgets what this machine has shown at its place.
    func forget() { _ = try? start("--forget", with: SecretBytes(count: 0)) }

    private func answer(
        _ word: String, _ input: SecretBytes, _ failure: String
    ) throws(CommandFailure) -> [String] {
        let (answer, code) = try start(word, with: input)
        let words = answer.split(whereSeparator: \.isNewline).first?.split(separator: " ").map(String.init) ?? []
        if code == 0, words.first == "ok" { return Array(words.dropFirst()) }
        let cause = words.first == "problem" ? words.dropFirst().joined(separator: " ") : ""
        throw .failed(failure, cause: cause, remedy: "Repeat the command when that is mended.")
    }

    // MARK: - The user's service manager

    private static let mark = "# Written by security sync, which also takes it away (leave)."

    /// Has the user's service manager run the carrier from now on.
    ///
    /// - Returns: false where there is no such manager, or where the settings are not those that it would use.
    func serve() -> Bool {
        guard let path = InstalledPrograms.find(Self.program), let place = try? SetupPlace(session.environment),
            !hasOtherSettings, managerRuns
        else { return false }
        do throws(CommandFailure) {
            let before = try FileChange.read(unitPath(place))
            guard before == nil || before?.hasPrefix(Self.mark) == true else { return manage(["enable", "--now"]) }
            try FileChange.apply([
                FileChange(path: unitPath(place), before: before, after: unitText(path), root: root(place))
            ])
        } catch { return false }
        return manage(["daemon-reload"], ofUnit: false) && manage(["enable"]) && manage(["restart"])
    }

    /// Ends what ``serve()`` has begun.
    ///
    /// - Returns: the path of a unit file that could not be taken away; nil when none is left.
    func stopServing() -> String? {
        guard let place = try? SetupPlace(session.environment) else { return nil }
        let path = unitPath(place)
        do throws(CommandFailure) {
            guard let before = try FileChange.read(path), before.hasPrefix(Self.mark) else { return nil }
            _ = manage(["disable", "--now"])
            try FileChange.apply([FileChange(path: path, before: before, after: nil, root: root(place))])
        } catch { return path }
        _ = manage(["daemon-reload"], ofUnit: false)
        return nil
    }

    private func root(_ place: SetupPlace) -> String { place.folder("XDG_CONFIG_HOME", else: ".config") }
    private func unitPath(_ place: SetupPlace) -> String { "\(root(place))/systemd/user/\(Self.unit)" }

    /// The manager does not know variables of a shell.
    private var hasOtherSettings: Bool {
        ["KEYCHAIN_HOME", "KEYCHAIN_SOCKET", "KEYCHAIN_DAEMON", "XDG_DATA_HOME", "XDG_CONFIG_HOME"]
            .contains { !(session.environment($0) ?? "").isEmpty }
    }

    private var managerRuns: Bool {
        guard let folder = session.environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return false }
        return (try? FileStatus(at: "\(folder)/systemd/private")) ?? nil != nil
    }

    private func manage(_ words: [String], ofUnit: Bool = true) -> Bool {
        guard let path = session.path(ofProgram: "systemctl") else { return false }
        let answer = try? ChildProcess.answer(
            of: path, ["--user", "--quiet"] + words + (ofUnit ? [Self.unit] : []), environment: environment,
            to: SecretBytes(count: 0), atMost: 4096, deadline: .after(milliseconds: 30_000))
        return answer?.code == 0
    }

    /// The program takes its own rights away when it has reached the daemon, which it may have to start first. The
    /// daemon serves others too, and outlives it.
    private func unitText(_ program: String) -> String {
        """
        \(Self.mark)
        [Unit]
        Description=Carrier of the keychain's circle of machines
        Documentation=man:keychain-carrier(8)

        [Service]
        ExecStart=\(UnitText.quoted(program))
        KillMode=process
        Restart=on-failure
        RestartSec=30
        UMask=0077
        LimitCORE=0

        [Install]
        WantedBy=default.target

        """
    }
}

extension [UInt8] {
    fileprivate var digits: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    /// The bytes of digits that this program's own carrier has written.
    fileprivate init(hexadecimal text: String) {
        let values = text.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
