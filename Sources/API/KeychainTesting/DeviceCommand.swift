internal import EmbeddedKeychain
internal import KeychainClient
internal import KeychainModel
internal import KeychainPolicy
internal import KeychainWire
internal import LinuxSystem

/// The keychain's own command on a simulated device, in the hands of the device's user.
struct DeviceCommand {
    let device: SimulatedDevice

    private static let caller = CallerIdentity(
        user: CurrentProcess.user, process: 0, program: "security", groups: ["program:security"],
        mayInspectAllGroups: true)

    /// Asks the device, with texts that a person would enter.
    func ask(_ request: DeviceRequest, _ texts: [String] = []) throws(Refusal) -> DeviceReply {
        var files: [FileDescriptor] = []
        for text in texts { files.append(try PasscodeFile.make(text)) }
        return try ask(request, files: files)
    }

    func ask(_ request: DeviceRequest, files: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try device.current().seen(by: Self.caller).device(request, passcodes: files)
    }

    /// Asks about the circle.
    func ask(_ request: SyncRequest, files: [FileDescriptor] = []) throws(Refusal) -> SyncReply {
        guard case .sync(let reply) = try ask(.sync(request), files: files) else {
            throw .malformed("the answer about the circle")
        }
        return reply
    }

    /// Asks about a backup.
    func ask(_ request: BackupRequest, _ texts: [String] = []) throws(Refusal) -> BackupReply {
        guard case .backup(let reply) = try ask(.backup(request), texts) else {
            throw .malformed("the answer about a backup")
        }
        return reply
    }

    /// Changes the circle; the user agrees.
    ///
    /// - Returns: the circle afterwards; nil for none.
    func change(_ change: CircleChange) throws(Refusal) -> SyncStatus? {
        let request = AuthenticationRequest.circle(change, prompt: Prompt(reason: "a test"))
        let reply = try device.user.agreeing(with: device.knownPasscode ?? "") { () throws(Refusal) in
            try device.current().seen(by: Self.caller).authentication(request, descriptors: [])
        }
        guard case .circle(let status) = reply else { throw .malformed("the answer about the circle") }
        return status
    }
}
