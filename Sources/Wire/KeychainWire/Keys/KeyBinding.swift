package import KeychainModel
package import LinuxSystem

/// The conditions that a sealed key is bound to: the access group, the device states, and the authentication.
///
///     binding = class:u8 0:u8 0:u16 control:u64 group:text
///
/// `control` has the bits of `SecAccessControlCreateFlags`.
package struct KeyBinding: Hashable, Sendable {
    /// The access group; in a request, empty for the group the caller's items go into by default.
    package var group: String
    package var accessibility: Accessibility
    /// The bits of the access control; 0 for one that lets the key do nothing.
    package var control: UInt64

    package init(group: String, accessibility: Accessibility, control: UInt64) {
        self.group = group
        self.accessibility = accessibility
        self.control = control
    }

    /// Appends the binding to a message under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(accessibility.rawValue)
        buffer.append(0)
        buffer.append(littleEndian: UInt16(0))
        buffer.append(littleEndian: control)
        buffer.append(text: group)
    }

    /// Reads a binding that a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        let code = try reader.integer(UInt32.self)
        guard let accessibility = UInt8(exactly: code).flatMap(Accessibility.init(rawValue:)) else {
            throw .malformed("the class of a key")
        }
        self.accessibility = accessibility
        control = try reader.integer(UInt64.self)
        group = try reader.text()
        guard group.utf8.count <= KeyLimits.groupBytes else { throw .malformed("the group of a key") }
    }
}

/// Limits of everything that a peer can make grow around a key. A sealed key and its input together fit one message of
/// the enclave's channel.
package enum KeyLimits {
    /// A program's own group is named by the path of its executable.
    package static let groupBytes = 5 << 10
    /// The largest RSA key: 8192 bits.
    package static let publicKeyBytes = 2 << 10
    /// The same key's private half with everything PKCS#1 has in it, or what a TPM keeps of one.
    package static let privateKeyBytes = 6 << 10
    /// A digest, a peer's public key, or a short ciphertext. Large data is encrypted with a key of its own.
    package static let inputBytes = 16 << 10
    package static let sharedInfoBytes = 1 << 10
    /// The longest result of a key derivation.
    package static let derivedBytes = 16 << 10
    package static let algorithmBytes = 128
}
