/// An access control: the protection class, and what the user must do.
///
///     encoded = class [";" flags]        ; text, such as "ak" or "aku;0"
///
/// An item that was added without an access control has only a class.
package struct AccessControl: Hashable, Sendable {
    package let accessibility: Accessibility
    /// The bits of `SecAccessControlCreateFlags`; nil for an item without an access control.
    package let flags: UInt64?

    package init(_ accessibility: Accessibility, flags: UInt64?) {
        self.accessibility = accessibility
        self.flags = flags
    }

    /// Parses the encoded form; nil when it is malformed.
    package init?(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: ";"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let code = String(validating: parts[0], as: UTF8.self),
            let accessibility = Accessibility(code: code)
        else { return nil }
        self.accessibility = accessibility
        guard parts.count == 2 else {
            flags = nil
            return
        }
        guard let number = String(validating: parts[1], as: UTF8.self).flatMap({ UInt64($0) }) else { return nil }
        flags = number
    }

    /// The encoded form.
    package var bytes: [UInt8] { Array((flags.map { "\(accessibility.code);\($0)" } ?? accessibility.code).utf8) }

    /// Whether there is any requirement, for the user or for the item.
    package var hasConstraints: Bool { flags ?? 0 != 0 }

    /// The bit that allows the use of a private key (rule access-control.flags.private-key).
    package static let privateKeyUsage: UInt64 = 1 << 30

    /// Whether the user must do something before a key with these flags is used. An unknown bit is a requirement.
    package static func asksTheUser(_ flags: UInt64) -> Bool {
        flags & ~(privateKeyUsage | AccessConstraint.or | AccessConstraint.and | AccessConstraint.anchoredProgram) != 0
    }
}

extension AttributeList {
    /// The access control among the attributes; nil when it is missing or malformed.
    package var accessControl: AccessControl? {
        guard case .data(let bytes)? = self[.accessControl] else { return nil }
        return AccessControl(bytes)
    }

    /// The protection class in the attributes, named directly or in an access control.
    package var accessibility: Accessibility? {
        self[.accessible]?.string.flatMap(Accessibility.init(code:)) ?? accessControl?.accessibility
    }
}
