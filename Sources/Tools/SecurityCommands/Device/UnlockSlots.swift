import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `list-unlock-slots`, `add-unlock-slot` and `remove-unlock-slot`: the ways that open the keychain.
enum UnlockSlots {
    static let list = Command(
        "list-unlock-slots", "List what opens the keychain.", synopsis: "[keychain]", operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let call = "list-unlock-slots"
        try session.turn(to: arguments.operands.first, call)
        let slots = try session.details(call).slots
        if session.writesJSON { return session.output.write(.array(slots.map(\.json))) }
        for slot in slots { session.output.write("\(slot.number): \(slot.kind.title)\n") }
    }

    static let add = Command(
        "add-unlock-slot", "Add a way to unlock the keychain.", synopsis: "[-t recovery | tpm] [-n] [-R | -N]",
        options: [
            CommandOption("t", value: "kind", "recovery (the default): a code to write down; tpm: this machine's TPM."),
            CommandOption("n", word: "new-pin", "With -t tpm: the TPM opens the keychain only with a PIN."),
            CredentialChoice.recovery, CredentialChoice.pin,
        ],
        notes: [
            """
            The password is asked for, and a new PIN twice; if standard input is no terminal, each is its next line, \
            the password first. A recovery code is written once, and nobody can show it again. Without a PIN the \
            keychain opens whenever its daemon starts on this machine, also for who has stolen it.
            """
        ]
    ) { arguments, session throws(CommandFailure) in try add(arguments, session) }

    static let remove = Command(
        "remove-unlock-slot", "Remove a way to unlock the keychain.", synopsis: "[-f] [-R | -N] number",
        options: [
            CommandOption("f", "Remove the password too, with all that only a password may open, and all other slots."),
            CredentialChoice.recovery, CredentialChoice.pin,
        ],
        notes: ["The password is asked for, or what the options say instead. Items and other slots stay as they are."],
        operands: 1...1
    ) { arguments, session throws(CommandFailure) in try remove(arguments, session) }

    private static func add(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let call = "add-unlock-slot"
        let (passcodes, before) = (Passcodes(session), try session.details(call).slots)
        let kind = try kind(arguments)
        let choice = try CredentialChoice(arguments)
        let credential = try passcodes.get(nil, prompt: "\(choice.name): ")
        let request = DeviceRequest.addSlot(kind, by: choice.kind)
        switch kind {
        case .recovery:
            let room = try makeRoom()
            try passcodes.send(request, [credential], and: room, call)
            let code = try readCode(room)
            return try report(before, code, session, call)
        case .tpmWithPIN: try passcodes.send(request, [credential, try newPIN(session)], call)
        default: try passcodes.send(request, [credential], call)
        }
        try report(before, nil, session, call)
    }

    private static func kind(_ arguments: ParsedArguments) throws(CommandFailure) -> UnlockSlot.Kind {
        switch (arguments.value("t")?.text ?? "recovery", arguments.has("n")) {
        case ("recovery", false): .recovery
        case ("tpm", false): .tpm
        case ("tpm", true): .tpmWithPIN
        case ("recovery", true): throw .usage("--new-pin goes with -t tpm")
        default: throw .usage("-t is recovery or tpm")
        }
    }

    private static func newPIN(_ session: Session) throws(CommandFailure) -> SecretBytes {
        let pin = try PasswordInput(session).passcode("new PIN: ")
        guard session.input.isTerminal else { return pin }
        guard try PasswordInput(session).passcode("retype new PIN: ").isEqual(to: pin) else {
            throw .failed("try again", remedy: "The two PINs were not the same.")
        }
        return pin
    }

    private static func remove(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let call = "remove-unlock-slot"
        guard let text = arguments.operands.first?.text, let number = UInt8(text) else {
            throw .usage("a slot is given by its number, from list-unlock-slots")
        }
        let slot = try session.details(call).slots.first { $0.number == number }
        let (passcodes, choice) = (Passcodes(session), try CredentialChoice(arguments))
        if slot?.kind == .passcode, arguments.has("f") {
            return try passcodes.remove(try passcodes.get(nil, prompt: "password: "), losesFiles: false, call)
        }
        // A request that would be refused anyway is refused without a prompt.
        let mayWork = slot.map { $0.kind != .passcode && $0.kind != .device } ?? false
        let credential = mayWork ? try passcodes.get(nil, prompt: "\(choice.name): ") : SecretBytes(copying: [0].span)
        try passcodes.send(.removeSlot(number, by: choice.kind), [credential], call)
    }
}

// MARK: - The code

extension UnlockSlots {
    private static func makeRoom() throws(CommandFailure) -> FileDescriptor {
        do throws(SystemError) { return try PasscodeFile.makeRoom(RecoveryCodeFormat.room) } catch {
            throw CommandFailure("cannot take the recovery code", error)
        }
    }

    private static func readCode(_ room: FileDescriptor) throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) {
            let bytes = try PasscodeFile.read(
                room, limit: RecoveryCodeFormat.room, deadline: .after(milliseconds: 1000))
            return bytes.withSpan { bytes in
                let end = bytes.indices.first { bytes[$0] == 0 } ?? bytes.count
                return SecretBytes(copying: bytes.extracting(..<end))
            }
        } catch { throw CommandFailure("cannot take the recovery code", error) }
    }

    private static func report(
        _ before: [UnlockSlot], _ code: SecretBytes?, _ session: Session, _ call: String
    ) throws(CommandFailure) {
        let slot = try session.details(call).slots.first { !before.contains($0) }
        session.output.write { buffer in
            if session.writesJSON {
                slot?.json(code).append(to: buffer)
                buffer.append(utf8: "\n")
            } else if let code {
                code.withSpan { buffer.append($0) }
                buffer.append(utf8: "\n")
            }
        }
        if code != nil {
            session.explain("write this code down and keep it away from this machine; it cannot be shown again.")
        }
    }
}

extension UnlockSlot {
    var json: JSONValue { json(nil) }

    fileprivate func json(_ code: SecretBytes?) -> JSONValue {
        var fields: [(String, JSONValue)] = [("slot", .number(Int64(number))), ("kind", .string(kind.name))]
        if let code { fields.append(("code", .string(code.withSpan { $0.text(0, $0.count) ?? "" }))) }
        return .object(fields)
    }
}

extension UnlockSlot.Kind {
    /// The name in `--json`.
    var name: String {
        switch self {
        case .device: "device"
        case .passcode: "password"
        case .recovery: "recovery"
        case .tpm: "tpm"
        case .tpmWithPIN: "tpm-pin"
        }
    }

    /// As a person reads it.
    var title: String {
        switch self {
        case .device: "no password: opens by itself"
        case .passcode: "password"
        case .recovery: "recovery code"
        case .tpm: "TPM, without a PIN"
        case .tpmWithPIN: "TPM with a PIN"
        }
    }
}
