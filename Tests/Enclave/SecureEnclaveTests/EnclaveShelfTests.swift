import EnclaveWire
import KeychainBackup
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Shelves go from enclave to enclave in backups, and no daemon has their keys on the way.
@Suite("Shelves in a backup") struct EnclaveShelfTests {
    private let here = TestDevice()
    private let there = TestDevice()
    private let file = FileID()
    private static let passphrase = "correct horse battery"

    /// An unlocked enclave whose password is `right`.
    private func start(_ device: TestDevice) throws -> SoftwareEnclave {
        let enclave = try device.start(passcode: "right")
        try enclave.unlock(passcode: TestDevice.passcode("right"))
        return enclave
    }

    private func begin(_ enclave: any EnclaveService) throws -> OpenedBackup {
        let files = (try TestDevice.passcode("right"), try TestDevice.passcode(Self.passphrase))
        return try enclave.beginBackup(by: .passcode, files.0, files.1, hasShelves: true)
    }

    private func read(_ backup: OpenedBackup, _ enclave: any EnclaveService) throws -> [UInt8] {
        let passphrase = try TestDevice.passcode(Self.passphrase)
        return try enclave.openBackup(backup.header, with: .passphrase, passphrase).ticket
    }

    private func shelf(
        _ enclave: any EnclaveService, _ protection: FileProtection = .complete, class place: Int = 0,
        control: UInt64 = 0
    ) throws(Refusal) -> Shelf {
        try enclave.makeShelf(protection, .test(protection.accessibilities[place], control: control), in: nil)
    }

    @Test("A file's key comes out by its shelf on another machine, through the channel too, under the same id and head")
    func travels() throws {
        let (served, other) = (try ServedEnclave(), try start(there))
        try served.connection.setPasscode(TestDevice.passcode("right"))
        let backup = try begin(served.connection)
        let ticket = try read(backup, other)
        for protection in FileProtection.allCases {
            let shelf = try self.shelf(served.connection, protection)
            let made = try served.connection.makeFileKey(of: file, in: shelf, in: nil)
            let sealed = try served.connection.sealShelf(shelf, forBackup: backup.ticket)
            #expect(sealed.key.sealed != shelf.key.sealed)
            let restored = try other.sealShelf(sealed, fromBackup: ticket, inPlaceOfDamaged: false)
            #expect(restored.id == shelf.id && restored.key.head == shelf.key.head)
            #expect(try other.unwrapFileKey(made.slot, of: file, by: restored, in: nil).isEqual(to: made.key))
            // As it travels it opens nothing, neither here nor there.
            for enclave in [served.connection, other] as [any EnclaveService] {
                #expect(refusal { _ = try enclave.unwrapFileKey(made.slot, of: file, by: sealed, in: nil) } != nil)
            }
        }
    }

    @Test("A shelf of this device, or behind more than the password, stays; none leaves for a backup that is read")
    func stays() throws {
        let enclave = try start(here)
        let backup = try begin(enclave)
        func seal(_ shelf: Shelf, _ ticket: [UInt8]) -> Refusal? {
            refusal { _ = try enclave.sealShelf(shelf, forBackup: ticket) }
        }
        for place in 1...2 { #expect(seal(try shelf(enclave, class: place), backup.ticket)?.status == .param) }
        #expect(seal(try shelf(enclave, control: 1 << 48), backup.ticket)?.status == .authNeeded)
        let present = try shelf(enclave, control: Flag.userPresence)
        #expect(seal(present, backup.ticket) == nil)
        #expect(seal(present, try read(backup, enclave))?.rule == .noBackupUnderWay)
        _ = try enclave.backupKey(backup.ticket, .manifest, index: 0)
        #expect(seal(present, backup.ticket)?.rule == .noBackupUnderWay)
        let other = try start(there)
        #expect(seal(try shelf(other), try begin(enclave).ticket)?.status == .decode)
    }

    @Test("A shelf with another id, head or box than was sealed, or of another backup, is not taken")
    func forged() throws {
        let (enclave, other) = (try start(here), try start(there))
        let (backup, second) = (try begin(enclave), try begin(enclave))
        let sealed = try enclave.sealShelf(try shelf(enclave), forBackup: backup.ticket)
        let (ticket, wrong) = (try read(backup, other), try read(second, other))
        func take(_ shelf: Shelf, _ ticket: [UInt8]) -> Refusal? {
            refusal { _ = try other.sealShelf(shelf, fromBackup: ticket, inPlaceOfDamaged: false) }
        }
        func copy(
            _ binding: KeyBinding? = nil, type: FileProtection? = nil, publicKey: [UInt8]? = nil, box: [UInt8]? = nil
        ) throws -> Shelf {
            let key = sealed.key
            return try Shelf(
                id: sealed.id,
                key: SealedKey(
                    backend: key.backend, origin: key.origin, keyType: type.map(Shelf.keyType) ?? key.keyType,
                    bits: key.bits, binding: binding ?? key.binding, publicKey: publicKey ?? key.publicKey,
                    sealed: box ?? key.sealed))
        }
        var box = sealed.key.sealed
        box[20] ^= 1
        let changes = [
            try copy(.test(group: "other", control: 0)), try copy(.test(control: Flag.userPresence)),
            try copy(type: .completeUnlessOpen), try copy(publicKey: [UInt8](repeating: 9, count: 32)),
            try copy(box: box), try copy(box: []), try Shelf(id: ShelfID(), key: sealed.key),
        ]
        for changed in changes { #expect(take(changed, ticket)?.rule == .damagedBackup) }
        #expect(take(sealed, wrong)?.rule == .damagedBackup)
        #expect(take(try copy(.test(.whenUnlockedThisDeviceOnly, control: 0)), ticket)?.status == .param)
        #expect(take(sealed, try begin(other).ticket)?.rule == .noBackupUnderWay)
        #expect(take(sealed, ticket) == nil)
        try other.lock()
        #expect(take(sealed, ticket)?.rule == .locked)
    }

    @Test("In place of a damaged shelf only one is taken whose id is that of its keys, through the channel too")
    func repairs() throws {
        let (enclave, other) = (try start(here), try ServedEnclave())
        try other.connection.setPasscode(TestDevice.passcode("right"))
        let backup = try begin(enclave)
        let shelf = try self.shelf(enclave)
        let keys = try enclave.keys(of: shelf, in: nil)
        let renamed = try enclave.sealed(keys, as: ShelfID(), shelf.protection, shelf.key.binding, in: nil)
        let ticket = try read(backup, other.connection)
        for (shelf, isItsKeys) in [(shelf, true), (renamed, false)] {
            let sealed = try enclave.sealShelf(shelf, forBackup: backup.ticket)
            func take(_ isRepair: Bool) -> Refusal? {
                refusal { _ = try other.connection.sealShelf(sealed, fromBackup: ticket, inPlaceOfDamaged: isRepair) }
            }
            #expect(take(false) == nil)
            #expect(take(true)?.rule == (isItsKeys ? nil : .conflict))
        }
    }

    @Test("A shelf that asks for its user asks there too, and is refused where no password is set")
    func asks() throws {
        let enclave = try start(here)
        let backup = try begin(enclave)
        let shelf = try self.shelf(enclave, control: Flag.userPresence)
        let sealed = try enclave.sealShelf(shelf, forBackup: backup.ticket)
        let open = try there.start()
        func take(_ isRepair: Bool = false) throws(Refusal) -> Shelf {
            try open.sealShelf(sealed, fromBackup: ticket, inPlaceOfDamaged: isRepair)
        }
        var ticket = try read(backup, open)
        #expect(refusal { _ = try take() }?.status == .authFailed)
        try open.setPasscode(TestDevice.passcode("another"))
        ticket = try read(backup, open)
        #expect(try take(true).id == shelf.id)
        let restored = try take()
        #expect(refusal { _ = try open.makeFileKey(of: file, in: restored, in: nil) }?.status == .authNeeded)
    }
}
