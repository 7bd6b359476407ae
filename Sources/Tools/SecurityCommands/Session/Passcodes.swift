import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// Takes passcodes from the person to the daemon, each in a memory file that the daemon hands on unread.
struct Passcodes {
    private let session: Session

    init(_ session: Session) { self.session = session }

    /// The passcode in an option, or else the answer to a prompt.
    func get(_ option: Argument?, prompt: String) throws(CommandFailure) -> SecretBytes {
        guard let option else { return try PasswordInput(session).passcode(prompt) }
        if !session.isInteractive {
            session.explain("a password in the command line can be seen by other programs; leave it out to be asked.")
        }
        return option.bytes
    }

    /// Sends a request with its passcodes, and at most one other file behind them.
    func send(
        _ request: DeviceRequest, _ passcodes: [SecretBytes], and other: FileDescriptor? = nil, _ call: String
    ) throws(CommandFailure) {
        var files: [FileDescriptor] = []
        for passcode in passcodes { files.append(try file(passcode, call)) }
        _ = try session.device(request, call, passcodes: files + [other].compactMap { $0 })
    }

    /// Removes the keychain's password. Where protected files are lost with it, a person is asked first.
    func remove(_ old: SecretBytes, losesFiles: Bool, _ call: String) throws(CommandFailure) {
        guard !losesFiles else { return try send(.removePasscodeAndFiles, [old], call) }
        do throws(CommandFailure) { try send(.removePasscode, [old], call) } catch {
            guard try session.losesFiles(error, asking: "Remove the password?") else { throw error }
            try send(.removePasscodeAndFiles, [old], call)
        }
    }

    /// A passcode in a memory file.
    func file(_ passcode: SecretBytes, _ call: String) throws(CommandFailure) -> FileDescriptor {
        guard passcode.count <= WireLimits.passcodeBytes else { throw .refused(call: call, .passcodeTooLong) }
        do throws(SystemError) { return try PasscodeFile.make(passcode) } catch {
            throw CommandFailure("cannot hand over the password", error)
        }
    }
}

extension Session {
    /// Replaces the recipients of each new protected file, after the password was shown.
    ///
    /// - Parameter recipients: as age writes them; none for no recipient any more.
    /// - Throws: the refusal of the keychain, such as for a wrong password.
    package func setFileRecovery(_ recipients: [String], _ call: String) throws(CommandFailure) {
        let passcodes = Passcodes(self)
        // A request that would be refused anyway is refused without a prompt.
        let isSet = try status(call).passcodeIsSet
        let credential = isSet ? try passcodes.get(nil, prompt: "password: ") : SecretBytes(copying: [0].span)
        try passcodes.send(.setFileRecovery(RecoveryTexts(recipients), by: .passcode), [credential], call)
    }
}

extension Refusal {
    fileprivate static let passcodeTooLong = Refusal(
        .param, .tooLarge, "password", "The password is longer than \(WireLimits.passcodeBytes) bytes.",
        do: "Use a shorter one.")
}
