import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Shelves, and the keys of protected files.
@Suite("The enclave's keys of protected files")
struct FileKeyTests {
    private let device = TestDevice()
    private let file = FileID()

    private func shelf(
        _ protection: FileProtection, _ enclave: any EnclaveService, control: UInt64 = 0
    ) throws(Refusal) -> Shelf {
        try enclave.makeShelf(protection, .test(protection.accessibilities[0], control: control), in: nil)
    }

    @Test("A key comes out for its own file, by its own shelf, after a restart and through the channel")
    func roundTrip() throws {
        let served = try ServedEnclave()
        for protection in FileProtection.allCases {
            let shelf = try self.shelf(protection, served.connection)
            #expect(shelf.protection == protection)
            let made = try served.connection.makeFileKey(of: file, in: shelf, in: nil)
            #expect(made.key.count == 32 && made.slot.shelf == shelf.id)
            #expect(made.slot.kind == (protection == .completeUnlessOpen ? 2 : 1))
            let again = try served.device.start()
            for enclave in [served.connection, again] as [any EnclaveService] {
                #expect(try enclave.unwrapFileKey(made.slot, of: file, by: shelf, in: nil).isEqual(to: made.key))
            }
            #expect(try !served.connection.makeFileKey(of: file, in: shelf, in: nil).key.isEqual(to: made.key))
        }
    }

    @Test("A slot opens neither for another file, nor by another shelf, nor changed")
    func foreignSlots() throws {
        let enclave = try device.start()
        for protection in FileProtection.allCases {
            let (own, other) = (try shelf(protection, enclave), try shelf(protection, enclave))
            let slot = try enclave.makeFileKey(of: file, in: own, in: nil).slot
            func refused(_ slot: FileSlot, _ file: FileID, _ shelf: Shelf) -> Refusal? {
                refusal { _ = try enclave.unwrapFileKey(slot, of: file, by: shelf, in: nil) }
            }
            #expect(refused(slot, FileID(), own)?.rule == .damagedFile)
            #expect(refused(slot, file, other)?.rule == .damagedFile)
            let moved = FileSlot(kind: slot.kind, shelf: other.id, wrapped: slot.wrapped)
            #expect(refused(moved, file, other)?.rule == .damagedFile)
            for place in slot.wrapped.indices {
                var wrapped = slot.wrapped
                wrapped[place] ^= 1
                let changed = FileSlot(kind: slot.kind, shelf: own.id, wrapped: wrapped)
                #expect(refused(changed, file, own)?.status == .decode)
            }
        }
    }

    @Test("What anybody can wrap to a shelf's public key is taken by shelves of that class alone")
    func forgedSlots() throws {
        let enclave = try device.start()
        let open = try shelf(.completeUnlessOpen, enclave)
        for protection in [.complete, .completeUntilFirstUserAuthentication, .none] as [FileProtection] {
            let shelf = try self.shelf(protection, enclave)
            // A forger has the public half, and what a shelf of the other class would make of it.
            let key = SealedKey(
                backend: .software, origin: .madeInside, keyType: Shelf.keyType(.completeUnlessOpen), bits: 256,
                binding: .test(control: 0), publicKey: shelf.key.publicKey, sealed: [])
            let forged = try enclave.makeFileKey(of: file, in: Shelf(id: shelf.id, key: key), in: nil).slot
            #expect(forged.kind == 2)
            let refused = refusal { _ = try enclave.unwrapFileKey(forged, of: file, by: shelf, in: nil) }
            #expect(refused?.rule == .damagedFile)
            let secret = try enclave.makeFileKey(of: file, in: shelf, in: nil).slot
            let moved = FileSlot(kind: secret.kind, shelf: open.id, wrapped: secret.wrapped)
            #expect(refusal { _ = try enclave.unwrapFileKey(moved, of: file, by: open, in: nil) }?.status == .decode)
        }
    }

    @Test("A shelf whose head or id was changed does not open, and no shelf is a key that programs could use")
    func changedShelves() throws {
        let enclave = try device.start()
        let shelf = try self.shelf(.complete, enclave)
        let slot = try enclave.makeFileKey(of: file, in: shelf, in: nil).slot
        let key = shelf.key
        func copy(_ binding: KeyBinding, type: UInt8? = nil, publicKey: [UInt8]? = nil) -> SealedKey {
            SealedKey(
                backend: key.backend, origin: key.origin, keyType: type ?? key.keyType, bits: key.bits,
                binding: binding, publicKey: publicKey ?? key.publicKey, guardBinding: key.guardBinding,
                sealed: key.sealed)
        }
        let changes = [
            copy(.test(group: "other", control: 0)), copy(.test(.whenUnlockedThisDeviceOnly, control: 0)),
            copy(.test(control: 1 << 16)), copy(key.binding, type: Shelf.keyType(.completeUnlessOpen)),
            copy(key.binding, publicKey: [UInt8](repeating: 9, count: 32)),
        ]
        for changed in changes {
            let changed = try Shelf(id: shelf.id, key: changed)
            #expect(refusal { _ = try enclave.unwrapFileKey(slot, of: file, by: changed, in: nil) }?.status == .decode)
        }
        let renamed = try Shelf(id: ShelfID(), key: key)
        let moved = FileSlot(kind: slot.kind, shelf: renamed.id, wrapped: slot.wrapped)
        #expect(refusal { _ = try enclave.unwrapFileKey(moved, of: file, by: renamed, in: nil) }?.status == .decode)
        #expect(refusal { try enclave.checkKey(key) }?.status == .decode)
        #expect(refusal { _ = try enclave.useKey(key, .signature) } != nil)
        #expect(refusal { _ = try enclave.rebindKey(key, to: .test(control: 0), in: nil) }?.status == .decode)
    }

    @Test("Locked, no class but the last two opens; one wraps, and which one the passcode alone knows")
    func locked() throws {
        let enclave = try device.start()
        try enclave.setPasscode(TestDevice.passcode("one"))
        let shelves = try FileProtection.allCases.map { try shelf($0, enclave) }
        let slots = try shelves.map { try enclave.makeFileKey(of: file, in: $0, in: nil).slot }
        func opened(_ enclave: SoftwareEnclave) -> [Bool] {
            zip(shelves, slots).map { shelf, slot in
                let refused = refusal { _ = try enclave.unwrapFileKey(slot, of: file, by: shelf, in: nil) }
                return refused?.rule != .locked
            }
        }
        func made(_ enclave: SoftwareEnclave) -> [Bool] {
            shelves.map { shelf in
                refusal { _ = try enclave.makeFileKey(of: file, in: shelf, in: nil) }?.rule != .locked
            }
        }
        #expect(opened(enclave) == [true, true, true, true])
        try enclave.lock()
        #expect(opened(enclave) == [false, false, true, true])
        #expect(made(enclave) == [false, true, true, true])
        let restarted = try device.start()
        #expect(opened(restarted) == [false, false, false, true])
        #expect(made(restarted) == [false, true, false, true])
        try restarted.unlock(passcode: TestDevice.passcode("one"))
        #expect(opened(restarted) == [true, true, true, true])
        #expect(refusal { _ = try shelf(.complete, enclave) }?.rule == .locked)
    }

    @Test("A key that is wrapped by another shelf stays the same, and both shelves must open")
    func rewrapping() throws {
        let enclave = try device.start()
        let (source, target) = (
            try shelf(.completeUntilFirstUserAuthentication, enclave), try shelf(.complete, enclave)
        )
        let made = try enclave.makeFileKey(of: file, in: source, in: nil)
        let slot = try enclave.rewrapFileKey(made.slot, of: file, from: source, to: target, in: nil)
        #expect(slot.shelf == target.id)
        #expect(try enclave.unwrapFileKey(slot, of: file, by: target, in: nil).isEqual(to: made.key))
        try enclave.setPasscode(TestDevice.passcode("one"))
        try enclave.lock()
        let refused = refusal { _ = try enclave.rewrapFileKey(made.slot, of: file, from: source, to: target, in: nil) }
        #expect(refused?.rule == .locked)
    }

    @Test("Where the shelf has an access control, the key comes out when the user has shown what it asks for")
    func guarded() throws {
        let user = TestUser()
        let enclave = try device.start(user: user)
        try enclave.setPasscode(TestDevice.passcode("one"))
        let shelf = try self.shelf(.complete, enclave, control: Flag.userPresence)
        #expect(refusal { _ = try enclave.makeFileKey(of: file, in: shelf, in: nil) }?.status == .authNeeded)
        let context = AuthenticationContext.test()
        user.will(.passcode("one"))
        _ = try enclave.authenticate(.control(Flag.userPresence, context), by: soon)
        let made = try enclave.makeFileKey(of: file, in: shelf, in: context)
        #expect(try enclave.unwrapFileKey(made.slot, of: file, by: shelf, in: context).isEqual(to: made.key))
        let refused = refusal { _ = try enclave.unwrapFileKey(made.slot, of: file, by: shelf, in: nil) }
        #expect(refused?.status == .authNeeded)
    }
}
