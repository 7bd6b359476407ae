package import KeychainModel
package import LinuxSystem

extension Refusal.Rule {
    /// Protected files would be lost with the password.
    package static let losesFiles = Self(rawValue: "device.loses-files")
}

/// A caller's requests about the device instead of items: its state, its unlock slots, its health.
///
/// Passcodes, codes and PINs are not in the frame. Each is attached to it as a sealed memory file, so that the daemon
/// passes it to the enclave without reading it.
package enum DeviceRequest: Equatable, Sendable {
    case status
    case lock
    /// With one descriptor: the passcode.
    case unlock
    /// With one descriptor, the new passcode; with two, the old one first.
    case setPasscode
    /// With one descriptor: the passcode to remove. Destroys items that only a passcode may open (`akpu`), and all
    /// slots. Refused where protected files would be lost as well.
    case removePasscode
    /// The same, with shelves of that class: their files do not open any more.
    case removePasscodeAndFiles
    /// Opens the rows of one page and reports those that do not open.
    case verify(from: VerificationCursor)
    /// With one descriptor: the passcode, or an empty file when none is set. The keys rest on the TPM then.
    case moveToTPM
    /// The same the other way.
    case moveToSoftware
    /// The settings and the unlock slots.
    case details
    /// With one descriptor: the credential.
    case unlockWith(CredentialKind)
    /// With two descriptors: the credential and the new passcode.
    case replacePasscode(by: CredentialKind)
    /// With one descriptor, the credential, and for some kinds another (``EnclaveDeviceService``).
    case addSlot(UnlockSlot.Kind, by: CredentialKind)
    /// With one descriptor: the credential.
    case removeSlot(UInt8, by: CredentialKind)
    case changeSettings(DeviceSettings)
    /// With one descriptor: the credential. Each new protected file opens for these recipients too, and no others.
    case setFileRecovery(RecoveryTexts, by: CredentialKind)
    /// Is answered when the state has another number than this one, or when so many milliseconds have passed.
    case watch(epoch: UInt32, milliseconds: UInt32)
    /// Is answered when one of the caller's groups has another number than it knows, or when the time has passed.
    case watchGroups(GroupWatch)
    /// With one descriptor: the passcode, or an empty file when none is set. The store that is there is the one that is
    /// meant, old as it may be.
    case acceptStore
    /// Makes a consistent copy of the store in the same folder; the answer is its path.
    case snapshot
    /// A question about access.
    case access(AccessRequest)
    /// The caller's identity, as far as it could be verified.
    case identity
    /// With one descriptor, a program file open for reading: who it would be, if the caller executed it.
    case examine
    /// Which release of the keychain answers, and since when.
    case release
    /// → a number that every unlock changes, also one of a keychain that is unlocked.
    case lastUnlock
    /// Making and restoring backups.
    case backup(BackupRequest)
    /// The circle of machines.
    case sync(SyncRequest)

    private enum Code: UInt8 {
        case status = 1
        case lock = 2
        case unlock = 3
        case setPasscode = 4
        case removePasscode = 5
        case verify = 6
        case moveToTPM = 7
        case moveToSoftware = 8
        case details = 9
        case unlockWith = 10
        case replacePasscode = 11
        case addSlot = 12
        case removeSlot = 13
        case changeSettings = 14
        case watch = 15
        case access = 16
        case acceptStore = 17
        case snapshot = 18
        case identity = 20
        case examine = 21
        case release = 22
        case lastUnlock = 23
        case backup = 26
        case removePasscodeAndFiles = 27
        case sync = 28
        case setFileRecovery = 29
        case watchGroups = 30
    }

    /// Appends the body to a frame under construction.
    package func append(to buffer: SecretBuffer) {
        func append(_ code: Code, _ bytes: UInt8...) { for byte in [code.rawValue] + bytes { buffer.append(byte) } }
        switch self {
        case .status: append(.status)
        case .lock: append(.lock)
        case .unlock: append(.unlock)
        case .setPasscode: append(.setPasscode)
        case .removePasscode: append(.removePasscode)
        case .removePasscodeAndFiles: append(.removePasscodeAndFiles)
        case .moveToTPM: append(.moveToTPM)
        case .moveToSoftware: append(.moveToSoftware)
        case .details: append(.details)
        case .identity: append(.identity)
        case .examine: append(.examine)
        case .release: append(.release)
        case .lastUnlock: append(.lastUnlock)
        case .acceptStore: append(.acceptStore)
        case .snapshot: append(.snapshot)
        case .unlockWith(let kind): append(.unlockWith, kind.rawValue)
        case .replacePasscode(let kind): append(.replacePasscode, kind.rawValue)
        case .addSlot(let slot, let kind): append(.addSlot, slot.rawValue, kind.rawValue)
        case .removeSlot(let number, let kind): append(.removeSlot, number, kind.rawValue)
        case .verify(let cursor):
            append(.verify)
            cursor.append(to: buffer)
        case .changeSettings(let settings):
            append(.changeSettings)
            settings.append(to: buffer)
        case .watch(let epoch, let milliseconds):
            append(.watch)
            for number in [epoch, milliseconds] { buffer.append(littleEndian: number) }
        case .setFileRecovery(let recipients, let kind):
            append(.setFileRecovery, kind.rawValue)
            recipients.append(to: buffer)
        case .access, .backup, .sync, .watchGroups: appendQuestion(to: buffer)
        }
    }

    /// Appends a request that has kinds of its own.
    private func appendQuestion(to buffer: SecretBuffer) {
        func append(_ code: Code, _ appendRequest: (SecretBuffer) -> Void) {
            buffer.append(code.rawValue)
            appendRequest(buffer)
        }
        switch self {
        case .access(let request): append(.access, request.append)
        case .backup(let request): append(.backup, request.append)
        case .sync(let request): append(.sync, request.append)
        case .watchGroups(let watch): append(.watchGroups, watch.append)
        default: return
        }
    }

    /// Reads a body.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for anything that is not exactly a body.
    package init(decoding body: SecretBytes) throws(Refusal) {
        var reader = WireReader(body)
        guard let code = Code(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("the device request") }
        self = try Self.read(code, &reader)
        guard reader.isAtEnd else { throw .malformed("the end of the device request") }
    }

    private static func recovery(from reader: inout WireReader) throws(Refusal) -> DeviceRequest {
        let kind = try CredentialKind(from: &reader)
        return .setFileRecovery(try RecoveryTexts(from: &reader), by: kind)
    }

    private static func read(_ code: Code, _ reader: inout WireReader) throws(Refusal) -> DeviceRequest {
        switch code {
        case .status: .status
        case .lock: .lock
        case .unlock: .unlock
        case .setPasscode: .setPasscode
        case .removePasscode: .removePasscode
        case .removePasscodeAndFiles: .removePasscodeAndFiles
        case .verify: .verify(from: try VerificationCursor(from: &reader))
        case .moveToTPM: .moveToTPM
        case .moveToSoftware: .moveToSoftware
        case .details: .details
        case .identity: .identity
        case .examine: .examine
        case .release: .release
        case .lastUnlock: .lastUnlock
        case .acceptStore: .acceptStore
        case .snapshot: .snapshot
        case .unlockWith: .unlockWith(try CredentialKind(from: &reader))
        case .replacePasscode: .replacePasscode(by: try CredentialKind(from: &reader))
        case .addSlot: .addSlot(try UnlockSlot.Kind(from: &reader), by: try CredentialKind(from: &reader))
        case .removeSlot: .removeSlot(try reader.integer(UInt8.self), by: try CredentialKind(from: &reader))
        case .changeSettings: .changeSettings(try DeviceSettings(from: &reader))
        case .watch:
            .watch(epoch: try reader.integer(UInt32.self), milliseconds: try reader.integer(UInt32.self))
        case .watchGroups: .watchGroups(try GroupWatch(from: &reader))
        case .access: .access(try AccessRequest(from: &reader))
        case .backup: .backup(try BackupRequest(from: &reader))
        case .sync: .sync(try SyncRequest(from: &reader))
        case .setFileRecovery: try recovery(from: &reader)
        }
    }
}
