import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `move-enclave`: moves the keys onto the machine's TPM, or back into software.
enum MoveEnclave {
    private static let call = "move-enclave"

    static let command = Command(
        "move-enclave", "Move the keychain's keys into the machine's TPM, or out of it.",
        synopsis: "[-p password] tpm | software",
        options: [CommandOption("p", value: "password", isSecret: true, "The keychain's password.")],
        notes: [
            """
            Items stay as they are, and so do keys that programs hold. Afterwards the keychain opens on this machine \
            only (tpm), or wherever its files are (software). A keychain without a password asks for none. Which TPM \
            is used, KEYCHAIN_TPM says. Make a backup first: if the TPM is cleared or lost, nothing can open a \
            keychain that rests on it. Recovery codes go on to open it; slots of the TPM do not move out of it.
            """
        ],
        operands: 1...1
    ) { arguments, session throws(CommandFailure) in try move(arguments, session) }

    private static func move(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let target = arguments.operands.first?.text ?? ""
        guard
            let request = [("tpm", DeviceRequest.moveToTPM), ("software", .moveToSoftware)].first(where: {
                $0.0 == target
            })
        else { throw .refused(call: call, .unknownTarget(target)) }
        let passcodes = Passcodes(session)
        let isSet = try session.status(call).passcodeIsSet
        let before = try session.details(call).slots
        let passcode = isSet ? try passcodes.get(arguments.value("p"), prompt: "password to move the keys: ") : nil
        try passcodes.send(request.1, [passcode ?? SecretBytes(count: 0)], call)
        session.output.write(try report(session))
        let after = try session.details(call).slots
        for slot in before where !after.contains(slot) {
            session.output.write("Unlock slot \(slot.number) (\(slot.kind.title)) could not move along and is gone.\n")
        }
    }

    /// Tells what is protected now, and what is not.
    private static func report(_ session: Session) throws(CommandFailure) -> String {
        let status = try session.status(call)
        var lines = ["protection: \(status.protection.name)", "enclave:    \(status.enclave)"]
        if status.protection == .hardware {
            lines += [
                "Every item opens with this machine's TPM only. Copies of the keychain from before the move still open",
                "without it, and so do enclave keys made before it: delete what you do not need, and make such keys",
                "again.",
            ]
        } else {
            let power = status.passcodeIsSet ? "needs the password" : "can open the keychain"
            lines.append("Anyone with a copy of this user's files \(power).")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Refusal {
    fileprivate static func unknownTarget(_ text: String) -> Refusal {
        Refusal(
            .param, .wrongValue, "move-enclave", "The keys can rest on tpm or software; \"\(text)\" is neither.",
            do: "Name one of the two.")
    }
}
