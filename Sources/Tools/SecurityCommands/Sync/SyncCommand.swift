import CommandOptions
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// `security sync`: the circle of machines that have this keychain in common.
enum SyncCommand {
    static let call = "sync"

    static let command = Command(
        call, "Keep the synchronisable items of this keychain on several machines.",
        synopsis: """
            setup [-n name] [-i file] place | join [-n name] [-i file] [-r] place [circle] | \
            add-device [code] | recovery-key | remove-device [-k machines] machine | devices | status | now | \
            conflicts [-R number] | fingerprint | pause | resume | leave | reset [-n name] [-i file] [place]
            """,
        options: [
            CommandOption("n", word: "name", value: "name", "This machine's name; its host name unless given."),
            CommandOption(
                "k", word: "keep", value: "machines",
                "remove-device: machines that it has added and that stay, with commas between them."),
            CommandOption(
                "i", word: "invitation", value: "file",
                """
                The file with the server's invitation (setup, join -r), or with a bucket's two keys, a line each; they \
                are asked for, or the next lines of standard input.
                """),
            CommandOption(
                "R", word: "restore", value: "number",
                "conflicts: give the item the version with this number, as a change of its own."),
            CommandOption("r", word: "recovery", "join: enter the circle by its recovery key, with no other machine."),
        ],
        notes: [
            """
            setup begins a circle in a folder that all machines have, of Syncthing, Nextcloud, NFS or a stick; on a \
            PostgreSQL server (postgresql://ROLE@HOST/DATABASE), which has given an invitation; or in a bucket of an \
            object store (https://HOST/BUCKET). Both are verified by TLS.
            """,
            """
            add-device shows eight digits on a machine that is in, and join asks for them on the other one, within \
            ten minutes, where both have a folder in common. For a server or a bucket, and for machines that are not \
            on at one time, join with the circle's number makes this machine's code, which add-device takes. Somebody \
            who can replace the code on its way is added in the machine's place.
            """,
            """
            recovery-key shows a code of 30 letters and digits, once: with it alone, join -r lets a new machine in \
            when all others are lost. Write it on paper. Another call replaces it. join -r shows who is in the circle \
            and when it last changed, before anything is sent. A server asks for an invitation into the circle, which \
            its administrator makes; a bucket's circle is named by its number.
            """,
            """
            remove-device makes new keys; the removed machine keeps what it knew. A server lets it in no more; its \
            access to a folder or a bucket is to be revoked there.
            """,
            """
            reset gives up a circle that nobody can help, because its other machines or this one's keys are lost, and \
            begins another one with this machine's items. No item is deleted.
            """,
            """
            conflicts shows the versions of this command's items that have lost to another machine's later change, \
            whose author had not known them: which machine has written which, and when; never a value.
            """,
            """
            Items travel that programs, or security add -S, have stored as synchronisable, and none that belong to \
            this device only. The place sees sizes, times and the number of machines, neither names nor values. \
            keychain-carrier carries; the user's service manager starts it, and now does it once.
            """,
        ],
        operands: 1...3, mixesOptions: true
    ) { arguments, session throws(CommandFailure) in
        var operands = arguments.operands.map(\.text)
        let name = operands.removeFirst()
        guard let verb = verbs.first(where: { $0.name == name }) else {
            throw .usage("the first word is one of \(verbs.map(\.name).joined(separator: ", "))")
        }
        guard verb.operands.contains(operands.count) else { throw .usage(nil) }
        try verb.body(SyncTask(arguments, operands, session))
    }

    private struct Verb: Sendable {
        let name: String
        let operands: ClosedRange<Int>
        let body: @Sendable (SyncTask) throws(CommandFailure) -> Void

        init(
            _ name: String, _ operands: ClosedRange<Int> = 0...0,
            body: @escaping @Sendable (SyncTask) throws(CommandFailure) -> Void
        ) {
            (self.name, self.operands, self.body) = (name, operands, body)
        }
    }

    private static let verbs = [
        Verb("setup", 1...1) { task throws(CommandFailure) in try task.setUp() },
        Verb("join", 1...2) { task throws(CommandFailure) in try task.join() },
        Verb("add-device", 0...1) { task throws(CommandFailure) in try task.addDevice() },
        Verb("recovery-key") { task throws(CommandFailure) in try task.makeRecoveryKey() },
        Verb("remove-device", 1...1) { task throws(CommandFailure) in try task.removeDevice() },
        Verb("devices") { task throws(CommandFailure) in try SyncReport(task).showDevices() },
        Verb("status") { task throws(CommandFailure) in try SyncReport(task).show() },
        Verb("now") { task throws(CommandFailure) in try task.goRound() },
        Verb("conflicts") { task throws(CommandFailure) in try task.showConflicts() },
        Verb("fingerprint") { task throws(CommandFailure) in try SyncReport(task).showFingerprint() },
        Verb("pause") { task throws(CommandFailure) in try task.pause(true) },
        Verb("resume") { task throws(CommandFailure) in try task.pause(false) },
        Verb("leave") { task throws(CommandFailure) in try task.leave() },
        Verb("reset", 0...1) { task throws(CommandFailure) in try task.reset() },
    ]
}

/// The task of a verb: its options, its operands and the keychain.
struct SyncTask {
    let arguments: ParsedArguments
    let operands: [String]
    let session: Session

    init(_ arguments: ParsedArguments, _ operands: [String], _ session: Session) {
        (self.arguments, self.operands, self.session) = (arguments, operands, session)
    }

    /// Where the keychain stands in its circle.
    ///
    /// - Throws: ``CommandFailure`` also when it belongs to none.
    func status() throws(CommandFailure) -> SyncStatus {
        guard case .status(let status) = try ask(.status) else { throw .unexpectedCircleReply }
        guard let status else { throw .noCircle }
        return status
    }

    func showConflicts() throws(CommandFailure) {
        let status = try session.circle(SyncCommand.call)
        try SyncConflicts(session, SyncCommand.call, status).run(restoring: arguments.value("R")?.text)
    }

    func ask(_ request: SyncRequest) throws(CommandFailure) -> SyncReply {
        guard case .sync(let reply) = try session.device(.sync(request), SyncCommand.call) else {
            throw .unexpectedCircleReply
        }
        return reply
    }

    /// Changes the circle; the enclave asks its user.
    ///
    /// - Returns: nil when the keychain belongs to no circle afterwards.
    func change(_ change: CircleChange) throws(CommandFailure) -> SyncStatus? {
        session.flush()
        do throws(Refusal) {
            let request = AuthenticationRequest.circle(change, prompt: try .ofThisProcess())
            guard case .circle(let status) = try session.connection().authentication(request, descriptors: []) else {
                throw .malformed("the answer about the circle")
            }
            return status
        } catch { throw .refused(call: SyncCommand.call, error) }
    }

    /// Says something to a person, on standard output.
    func say(_ text: String) {
        if !session.writesJSON, !session.isQuiet { session.output.write("\(session.text(text).printable)\n") }
    }

    /// The name that the machine has or is to have.
    func machineName() throws(CommandFailure) -> String {
        let name = arguments.value("n")?.text ?? Self.hostName
        guard !name.isEmpty, name.utf8.count <= CircleChange.nameBytes else {
            throw .usage("a machine's name has 1 to \(CircleChange.nameBytes) bytes")
        }
        return name
    }

    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        let text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(text.prefix { $0 != "." })
    }
}

extension CommandFailure {
    static let noCircle = failed(
        "this keychain belongs to no circle of machines",
        remedy: "Begin one: `security sync setup PLACE`; or join one: `security sync join PLACE`.")
}
