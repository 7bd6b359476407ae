package import KeychainModel
package import LinuxSystem

/// A private key that only this device's enclave can use: a program may hold it and hand it around, and gets results
/// with it, never the key.
///
///     sealedKey = head sealed:bytes
///     head      = version:u8 backend:u8 origin:u8 keyType:u8 bits:u16 0:u16 binding publicKey:bytes [guardBinding]
///     bytes     = length:u32 byte:length
///
/// Version 2 is for keys whose access control asks for something, and alone has a ``GuardBinding``.
/// `keyType` is the number that `kSecAttrKeyType` has. The head is in the clear and associated data of `sealed`, which
/// is a box under the class key of the binding's class: it opens only while that class does, and only under the head it
/// was made with.
package struct SealedKey: Hashable, Sendable {
    private static let plainVersion: UInt8 = 1
    private static let guardedVersion: UInt8 = 2

    /// The store that makes and uses the key.
    package enum Backend: UInt8, Sendable {
        /// The enclave's process. `sealed` has the key in its external representation.
        case software = 1
        /// A TPM. `sealed` has what only that TPM can load.
        case tpm = 2
    }

    package enum Origin: UInt8, Sendable {
        /// Made inside; its private half has never been anywhere else.
        case madeInside = 1
        /// Handed in by a program that wanted it kept from leaving.
        case imported = 2
    }

    package let backend: Backend
    package let origin: Origin
    /// The value of `kSecAttrKeyType`, as a number.
    package let keyType: UInt8
    package let bits: UInt16
    package let binding: KeyBinding
    /// The public half in its external representation.
    package let publicKey: [UInt8]
    /// The binding of the access control; nil in version 1.
    package let guardBinding: GuardBinding?
    /// The private half, as the enclave sealed it.
    package let sealed: [UInt8]

    package init(
        backend: Backend, origin: Origin, keyType: UInt8, bits: UInt16, binding: KeyBinding, publicKey: [UInt8],
        guardBinding: GuardBinding? = nil, sealed: [UInt8]
    ) {
        self.backend = backend
        self.origin = origin
        self.keyType = keyType
        self.bits = bits
        self.binding = binding
        self.publicKey = publicKey
        self.guardBinding = guardBinding
        self.sealed = sealed
    }
}

// MARK: - Encoding

extension SealedKey {
    /// The key's name in grants: the last 16 bytes of its box.
    package var identifier: [UInt8] { Array(sealed.suffix(16)) }

    /// The whole key in its encoded form.
    package var bytes: [UInt8] {
        let buffer = SecretBuffer(capacity: 512)
        append(to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    /// The bytes in the clear, which cannot be changed: the associated data of ``sealed``.
    package var head: [UInt8] {
        let buffer = SecretBuffer(capacity: 512)
        appendHead(to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    /// Appends the key to a message under construction.
    package func append(to buffer: SecretBuffer) {
        appendHead(to: buffer)
        buffer.append(bytes: sealed.span)
    }

    private func appendHead(to buffer: SecretBuffer) {
        buffer.append(guardBinding == nil ? Self.plainVersion : Self.guardedVersion)
        buffer.append(backend.rawValue)
        buffer.append(origin.rawValue)
        buffer.append(keyType)
        buffer.append(littleEndian: bits)
        buffer.append(littleEndian: UInt16(0))
        binding.append(to: buffer)
        buffer.append(bytes: publicKey.span)
        guardBinding?.append(to: buffer)
    }

    /// Reads a key that stands alone, such as an item's value.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for anything that is not exactly a sealed key.
    package init(decoding body: SecretBytes) throws(Refusal) {
        var reader = WireReader(body)
        try self.init(from: &reader)
        guard reader.isAtEnd else { throw .malformed("the end of a sealed key") }
    }

    /// Reads a key within a message. A key that can be read may still be forged; only the enclave can tell.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        let version = try reader.integer(UInt8.self)
        guard version == Self.plainVersion || version == Self.guardedVersion,
            let backend = Backend(rawValue: try reader.integer(UInt8.self)),
            let origin = Origin(rawValue: try reader.integer(UInt8.self))
        else { throw .malformed("the head of a sealed key") }
        (self.backend, self.origin) = (backend, origin)
        keyType = try reader.integer(UInt8.self)
        bits = try reader.integer(UInt16.self)
        guard try reader.integer(UInt16.self) == 0 else { throw .malformed("the head of a sealed key") }
        binding = try KeyBinding(from: &reader)
        publicKey = try reader.bytes(atMost: KeyLimits.publicKeyBytes)
        guardBinding = version == Self.guardedVersion ? try GuardBinding(from: &reader) : nil
        sealed = try reader.bytes(atMost: KeyLimits.privateKeyBytes)
    }
}

// MARK: - The attribute of a sealed key

extension AttributeList {
    /// The sealed key that travels with the attributes; nil when there is none.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package func sealedKey() throws(Refusal) -> SealedKey? {
        guard let bytes = secret(.sealedKey) else { return nil }
        return try SealedKey(decoding: bytes)
    }
}

extension ItemRequest {
    /// The sealed key that is to be added.
    ///
    /// - Throws: as ``AttributeList/sealedKey()``.
    package func sealedKey() throws(Refusal) -> SealedKey? { try query.sealedKey() }
}
