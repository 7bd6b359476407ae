import KeychainModel
import LinuxSystem

/// Requests of the keychain's own command about backups. Passwords, passphrases and codes come as memory files.
///
///     request = 1:u8 cursor                                   ; survey
///             | 2:u8 credential:u8                            ; begin
///             | 3:u8 ticket:16                                ; next
///             | 4:u8 purpose:u8 credential:u8 backupCredential:u8 header:bytes manifest:bytes     ; open
///             | 5:u8 ticket:16 applies:u8 index:u32 box:bytes ; take
///             | 6:u8 ticket:16 isWritten:u8                   ; end
///             | 7:u8                                          ; dates
package enum BackupRequest: Equatable, Sendable {
    /// → ``BackupReply/survey(_:)``: a page of the items and shelves that would stay, and how many would travel.
    case survey(from: BackupCursor)
    /// With two descriptors: the keychain's credential, which may be empty where none is set, and the passphrase, which
    /// may be empty where the credential is a recovery code. → ``BackupReply/begun(_:)``.
    case begin(by: CredentialKind)
    /// → ``BackupReply/piece(_:)``: the next part, and after the last one the manifest.
    case next(ticket: [UInt8])
    /// With two descriptors: the keychain's credential, or an empty file, and that of the backup.
    /// → ``BackupReply/opened(_:)``.
    case open(BackupOpening)
    /// → ``BackupReply/taken(_:)``: what becomes, or would become, of the items of a part. Parts are taken for good
    /// when all of them were looked at.
    case take(ticket: [UInt8], applies: Bool, index: UInt32, box: [UInt8])
    /// - isWritten: of a backup that was made: whether its file is on the disk.
    case end(ticket: [UInt8], isWritten: Bool)
    /// → ``BackupReply/dates(_:)``.
    case dates

    private enum Code: UInt8 {
        case survey = 1
        case begin = 2
        case next = 3
        case open = 4
        case take = 5
        case end = 6
        case dates = 7
    }

    func append(to buffer: SecretBuffer) {
        func append(_ code: Code, _ ticket: [UInt8] = []) {
            buffer.append(code.rawValue)
            buffer.append(ticket.span)
        }
        switch self {
        case .survey(let cursor):
            append(.survey)
            cursor.append(to: buffer)
        case .begin(let kind):
            append(.begin)
            buffer.append(kind.rawValue)
        case .next(let ticket): append(.next, ticket)
        case .end(let ticket, let isWritten):
            append(.end, ticket)
            buffer.append(isWritten ? 1 : 0)
        case .dates: append(.dates)
        case .open(let opening):
            append(.open)
            opening.append(to: buffer)
        case .take(let ticket, let applies, let index, let box):
            append(.take, ticket)
            buffer.append(applies ? 1 : 0)
            buffer.append(littleEndian: index)
            buffer.append(bytes: box.span)
        }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .survey: self = .survey(from: try BackupCursor(from: &reader))
        case .begin: self = .begin(by: try CredentialKind(from: &reader))
        case .next: self = .next(ticket: try reader.array(BackupTicket.bytes))
        case .open: self = .open(try BackupOpening(from: &reader))
        case .take:
            let (ticket, applies) = (try reader.array(BackupTicket.bytes), try reader.integer(UInt8.self) != 0)
            let index = try reader.integer(UInt32.self)
            self = .take(
                ticket: ticket, applies: applies, index: index,
                box: try reader.bytes(atMost: BackupFraming.boxBytes))
        case .end:
            let ticket = try reader.array(BackupTicket.bytes)
            self = .end(ticket: ticket, isWritten: try reader.integer(UInt8.self) != 0)
        case .dates: self = .dates
        case nil: throw .malformed("the backup request")
        }
    }
}

/// How a backup is to be opened, and what for.
package struct BackupOpening: Equatable, Sendable {
    package enum Purpose: UInt8, Sendable {
        /// To look only; the keychain's credential is not read.
        case drill = 1
        /// To put its items into the keychain.
        case restore = 2
    }

    package let purpose: Purpose
    package let credential: CredentialKind
    package let backupCredential: BackupCredential
    package let header: [UInt8]
    /// The box of the manifest.
    package let manifest: [UInt8]

    package init(
        _ purpose: Purpose, by credential: CredentialKind, _ backupCredential: BackupCredential, header: [UInt8],
        manifest: [UInt8]
    ) {
        (self.purpose, self.credential, self.backupCredential) = (purpose, credential, backupCredential)
        (self.header, self.manifest) = (header, manifest)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append([purpose.rawValue, credential.rawValue, backupCredential.rawValue].span)
        buffer.append(bytes: header.span)
        buffer.append(bytes: manifest.span)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        guard let purpose = Purpose(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("the purpose of a backup")
        }
        let (credential, backup) = (try CredentialKind(from: &reader), try BackupCredential(from: &reader))
        let header = try reader.bytes(atMost: BackupFraming.headerBytes)
        self.init(
            purpose, by: credential, backup, header: header,
            manifest: try reader.bytes(atMost: BackupFraming.boxBytes))
    }
}
