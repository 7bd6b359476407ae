package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The constants of the channel between the daemon and an enclave in a process of its own.
///
///     message = length:u32 word:u32 body:length
///     word    = operation:u8 class:u8 descriptors:u8 zero:u8               ; in a request
///     word    = status:i32                                                 ; in an answer
///
/// All integers are little-endian. The body of an answer is a refusal unless its status is 0. A message that carries
/// files goes through the socket (``EnclaveSocket``), any other through a slot of shared memory (``EnclaveSlot``).
/// ``EnclaveCalls`` has the operations.
package enum EnclaveChannelFormat {
    package static let version: UInt32 = 5
    /// Each slot carries one call at a time; as many threads can call at once.
    package static let slots = 4
    /// The slots for prompts, behind the others. As many prompts can be open at once, while the other slots serve.
    package static let promptSlots = 4
    /// The latest deadline of a prompt, in milliseconds from now.
    package static let longestTimeout: UInt32 = 600_000
    /// Bytes of a slot: room for 409 row keys, or for a sealed key with its input (``KeyLimits``). Larger batches are
    /// sent in parts.
    package static let slotSize = 32 << 10
    package static let headSize = 8
    /// The ``StateEpoch`` stands behind the slots, in a cache line of its own. The enclave alone changes it.
    package static let epochOffset = (slots + promptSlots) * slotSize
    package static let memorySize = epochOffset + 64
    /// The largest body of a message.
    package static let bodyLimit = slotSize - EnclaveSlot.bodyOffset

    /// The body of ``EnclaveCalls/hello``.
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
    ///          lastUnlock:u64
    package func append(to buffer: SecretBuffer) {
        buffer.append(protection.rawValue)
        buffer.append(lockState.rawValue)
        buffer.append(passcodeIsSet ? 1 : 0)
        buffer.append(littleEndian: failedAttempts)
        buffer.append(littleEndian: retryAfter)
        buffer.append(text: kind)
        buffer.append(age.rawValue)
        buffer.append(littleEndian: lastUnlock)
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
        lastUnlock = try reader.integer(UInt64.self)
    }
}
