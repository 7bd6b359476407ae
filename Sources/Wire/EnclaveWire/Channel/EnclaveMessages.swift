package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// What the daemon asks of an enclave in a process of its own: one case per function of ``EnclaveService``.
///
///     message = length:u32 word:u32 body:length
///     word    = operation:u8 class:u8 descriptors:u8 zero:u8               ; in a request
///     word    = status:i32                                                 ; in an answer
///
/// All integers are little-endian. The body of an answer is a refusal unless its status is 0. Messages go through a
/// slot of shared memory (``EnclaveSlot``) or, when they carry passcodes, through the socket (``EnclaveSocket``).
package enum EnclaveOperation: UInt8, Sendable, CaseIterable {
    /// The first message on the socket, with the shared memory: version:u32 slots:u32 promptSlots:u32 slotSize:u32.
    case hello = 1
    /// → ``EnclaveStatus``.
    case status = 2
    /// → key:32.
    case indexKey = 3
    /// class → key:32 wrapped:60.
    case makeMetadataKey = 4
    /// class, wrapped:60 → key:32.
    case unwrapMetadataKey = 5
    /// class, *(key:32 row:16) → *wrapped:60.
    case wrapRowKey = 6
    /// *record:80 → *answer:33, see ``RowKeyRecord``.
    case unwrapRowKeys = 7
    case lock = 8
    /// With the passcode.
    case unlock = 9
    /// With the new passcode.
    case setPasscode = 10
    /// With the old passcode and the new one.
    case changePasscode = 11
    /// With the old passcode.
    case removePasscode = 12
    /// [context] binding → sealedKey.
    case makeKey = 13
    /// [context] keyType:u8 binding key:bytes → sealedKey.
    case importKey = 14
    /// [context] sealedKey use → output.
    case useKey = 15
    /// sealedKey → nothing.
    case checkKey = 16
    /// [context] sealedKey binding → sealedKey.
    case rebindKey = 17
    /// With the passcode, or an empty file.
    case moveToSoftware = 20
    /// With the passcode, or an empty file.
    case moveToTPM = 21
    /// milliseconds:u32 task → ``AuthenticationResult``. Takes as long as a person: see
    /// ``EnclaveChannelFormat/promptSlots``.
    case authenticate = 22
    /// → ``AuthenticationCapabilities``.
    case capabilities = 23
    /// context, with the application password.
    case setCredential = 24
    /// context, with the terminal that the next ``authenticate`` of that context asks on.
    case setTerminal = 64
    /// context → nothing.
    case invalidate = 25
    /// class, [context] flags:u64 row:16 key:32 → guardedRowKey.
    case wrapGuardedRowKey = 26
    /// class, [context] row:16 guardedRowKey:bytes → key:32.
    case unwrapGuardedRowKey = 27
    /// → ``DeviceDetails``.
    case details = 40
    /// credential:u8, with the credential.
    case unlockWith = 41
    /// credential:u8, with the credential and the new passcode.
    case replacePasscode = 42
    /// slot:u8 credential:u8, with the credential.
    case addSlot = 43
    /// The same, with the credential and what a slot of this kind takes besides.
    case addSlotWith = 44
    /// number:u8 credential:u8, with the credential.
    case removeSlot = 45
    /// ``DeviceSettings`` → nothing.
    case changeSettings = 46
    /// beginsBlock:u8 [mark] → ``StoreAge``.
    case renewMark = 50
    /// With the passcode, or an empty file → ``StoreMark``.
    case acceptStore = 51

    /// How many descriptors travel with it.
    package var descriptors: Int {
        switch self {
        case .hello, .unlock, .setPasscode, .removePasscode, .moveToSoftware, .moveToTPM, .setCredential, .setTerminal,
            .unlockWith, .addSlot, .removeSlot, .acceptStore:
            1
        case .changePasscode, .replacePasscode, .addSlotWith: 2
        default: 0
        }
    }
}

/// A request's word.
package struct EnclaveCall: Equatable, Sendable {
    package let operation: EnclaveOperation
    /// The protection class it is about, if any.
    package let accessibility: Accessibility?

    package init(_ operation: EnclaveOperation, for accessibility: Accessibility? = nil) {
        self.operation = operation
        self.accessibility = accessibility
    }

    /// Reads a word that a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for what this release does not know.
    package init(word: UInt32) throws(Refusal) {
        let (code, number) = (UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8))
        guard let operation = EnclaveOperation(rawValue: code), number == 0 || Accessibility(rawValue: number) != nil,
            word >> 16 == operation.descriptors
        else { throw .malformed("the word of an enclave request") }
        self.init(operation, for: Accessibility(rawValue: number))
    }

    package var word: UInt32 {
        UInt32(operation.rawValue) | UInt32(accessibility?.rawValue ?? 0) << 8 | UInt32(operation.descriptors) << 16
    }
}

/// What the two ends of a channel must agree on.
package enum EnclaveChannelFormat {
    package static let version: UInt32 = 4
    /// Each slot carries one call at a time; as many threads can call at once.
    package static let slots = 4
    /// As many threads can have a user asked at once, each as long as he takes, while the other slots serve on. They
    /// stand behind those.
    package static let promptSlots = 4
    /// No deadline is further away than this, in milliseconds.
    package static let mostPatience: UInt32 = 600_000
    /// Bytes of a slot: room for 409 row keys, or for a sealed key with its input (``KeyLimits``). Larger batches are
    /// sent in parts.
    package static let slotSize = 32 << 10
    package static let headSize = 8
    /// Behind the slots stands a word that the enclave alone changes: the ``StateEpoch``. It has a cache line of its
    /// own.
    package static let epochOffset = (slots + promptSlots) * slotSize
    package static let memorySize = epochOffset + 64
    /// The largest body of a message.
    package static let bodyLimit = slotSize - EnclaveSlot.bodyOffset

    /// The body of ``EnclaveOperation/hello``.
    package static var hello: [UInt8] {
        let body = SecretBuffer(capacity: 16)
        for number in [version, UInt32(slots), UInt32(promptSlots), UInt32(slotSize)] {
            body.append(littleEndian: number)
        }
        return body.withSpan { $0.array(0, $0.count) }
    }
}

// MARK: - The status on the wire

extension EnclaveStatus {
    /// status = protection:u8 lockState:u8 passcode:u8 failed:u32 retryAfter:u32 kind:text age:u8
    package func append(to buffer: SecretBuffer) {
        buffer.append(protection.rawValue)
        buffer.append(lockState.rawValue)
        buffer.append(passcodeIsSet ? 1 : 0)
        buffer.append(littleEndian: failedAttempts)
        buffer.append(littleEndian: retryAfter)
        buffer.append(text: kind)
        buffer.append(age.rawValue)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        guard let protection = DeviceStatus.Protection(rawValue: try reader.integer(UInt8.self)),
            let lockState = DeviceStatus.LockState(rawValue: try reader.integer(UInt8.self))
        else { throw .malformed("the enclave's status") }
        self.init(
            protection: protection, lockState: lockState, passcodeIsSet: try reader.integer(UInt8.self) != 0,
            failedAttempts: try reader.integer(UInt32.self), retryAfter: try reader.integer(UInt32.self),
            kind: try reader.text())
        age = try KeychainAge(from: &reader)
    }
}
