package import KeychainModel
package import LinuxSystem

/// Which release of the keychain a program is.
///
///     release = version:text since:i64                       ; seconds since 1970
package struct Release: Hashable, Sendable {
    /// The release that this code belongs to; the packages' changelog names the same.
    package static let current = "0.5.0"

    package var version: String
    /// Since when the program has served the keychain: seconds since 1970, by the wall clock.
    package var since: Int64

    package init(version: String = current, since: Int64) { (self.version, self.since) = (version, since) }

    package func append(to buffer: SecretBuffer) {
        buffer.append(text: version)
        buffer.append(littleEndian: UInt64(bitPattern: since))
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        version = try reader.text()
        since = Int64(bitPattern: try reader.integer(UInt64.self))
    }

    /// The line of `--version` for a program.
    ///
    /// - Parameter formats: the protocol's versions that it speaks.
    package static func text(_ program: String, _ formats: String) -> String { "\(program) \(current) (\(formats))" }
}
