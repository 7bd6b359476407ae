package import KeychainModel
package import KeychainWire
package import LinuxSystem

extension DeviceReply {
    /// Reads the body of a response to a device request.
    ///
    /// - Throws: the refusal it carries, or `wire.malformed` when it cannot be read.
    package init(to request: DeviceRequest, status: Int32, body: SecretBytes) throws(Refusal) {
        guard status == 0 else { throw Refusal(decoding: body, status: status) }
        var reader = WireReader(body)
        _ = try reader.notice()
        switch request {
        case .status: self = .status(try DeviceStatus(from: &reader))
        case .verify: self = .verification(try VerificationPage(from: &reader))
        case .details: self = .details(try DeviceDetails(from: &reader))
        case .identity, .examine: self = .identity(try CallerReport(from: &reader))
        case .release: self = .release(try Release(from: &reader))
        case .lastUnlock: self = .lastUnlock(try reader.integer(UInt64.self))
        case .snapshot: self = .snapshot(path: try reader.text())
        case .watch: self = .news(try DeviceStateChange(from: &reader))
        case .watchGroups: self = .groups(try [GroupNumber](from: &reader))
        case .backup(let request): self = .backup(try BackupReply(to: request, from: &reader))
        case .sync(let request): self = .sync(try SyncReply(to: request, from: &reader))
        case .access(let request): self = .access(try AccessReply(to: request, from: &reader))
        case .lock, .unlock, .setPasscode, .removePasscode, .removePasscodeAndFiles, .moveToTPM, .moveToSoftware,
            .unlockWith, .replacePasscode, .addSlot, .removeSlot, .changeSettings, .acceptStore, .setFileRecovery:
            self = .done
        }
        guard reader.isAtEnd else { throw .malformed("the end of the response") }
    }
}
