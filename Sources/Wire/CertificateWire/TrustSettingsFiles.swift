package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A decision about a certificate for one policy.
package struct PolicyDecision: Sendable {
    package let policy: CertificatePolicy
    package let decision: TrustDecision

    package init(_ policy: CertificatePolicy, _ decision: TrustDecision) {
        (self.policy, self.decision) = (policy, decision)
    }
}

/// Writes a file of trust settings in Apple's format.
package struct WriteTrustSettings: CertificateTask {
    package static let kind = CertificateTaskKind.writeTrustSettings
    /// The certificates, in DER, with what was decided.
    package let settings: [(certificate: [UInt8], decisions: [PolicyDecision])]
    /// The date of the file, in ISO 8601.
    package let date: String

    package init(_ settings: [(certificate: [UInt8], decisions: [PolicyDecision])], date: String) {
        (self.settings, self.date) = (settings, date)
    }

    package init(reading reader: inout WireReader) throws(Refusal) {
        var settings: [(certificate: [UInt8], decisions: [PolicyDecision])] = []
        for _ in 0..<(try reader.count()) {
            settings.append((try reader.bytes(atMost: CertificateLimits.certificateBytes), try reader.decisions()))
        }
        (self.settings, date) = (settings, try reader.shortText())
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(count: settings.count)
        for (certificate, decisions) in settings {
            buffer.append(bytes: certificate.span)
            buffer.append(decisions: decisions)
        }
        buffer.append(text: date)
    }

    /// The file.
    package struct Answer: CertificateAnswer {
        package let file: SecretBytes

        package init(_ file: SecretBytes) { self.file = file }

        package init(reading reader: inout WireReader) throws(Refusal) {
            file = try reader.secret(atMost: CertificateLimits.fileBytes)
        }

        package func append(to buffer: SecretBuffer) { buffer.append(secret: file) }
    }
}

/// Reads a file of trust settings in Apple's format.
package struct ReadTrustSettings: CertificateTask {
    package static let kind = CertificateTaskKind.readTrustSettings
    package let file: SecretBytes

    package init(_ file: SecretBytes) { self.file = file }

    package init(reading reader: inout WireReader) throws(Refusal) {
        file = try reader.secret(atMost: CertificateLimits.fileBytes)
    }

    package func append(to buffer: SecretBuffer) { buffer.append(secret: file) }

    /// Decisions about a certificate that is known by its digest alone.
    package struct Entry: Sendable {
        /// SHA-1 of the certificate, 20 bytes.
        package let certificate: [UInt8]
        package let decisions: [PolicyDecision]
        /// Whether the file says more about the certificate: for other policies, hosts, programs or errors.
        package let hasOthers: Bool

        package init(_ certificate: [UInt8], _ decisions: [PolicyDecision], hasOthers: Bool) {
            (self.certificate, self.decisions, self.hasOthers) = (certificate, decisions, hasOthers)
        }
    }

    /// The entries, in the order of the file.
    package struct Answer: CertificateAnswer {
        package let entries: [Entry]

        package init(_ entries: [Entry]) { self.entries = entries }

        package init(reading reader: inout WireReader) throws(Refusal) {
            var entries: [Entry] = []
            for _ in 0..<(try reader.count()) {
                entries.append(Entry(try reader.array(20), try reader.decisions(), hasOthers: try reader.flag()))
            }
            self.entries = entries
        }

        package func append(to buffer: SecretBuffer) {
            buffer.append(count: entries.count)
            for entry in entries {
                buffer.append(entry.certificate.span)
                buffer.append(decisions: entry.decisions)
                buffer.append(flag: entry.hasOthers)
            }
        }
    }
}

extension WireReader {
    fileprivate mutating func decisions() throws(Refusal) -> [PolicyDecision] {
        var decisions: [PolicyDecision] = []
        for _ in 0..<(try count(atMost: 256)) {
            guard let policy = CertificatePolicy(rawValue: try integer(UInt8.self)),
                let decision = TrustDecision(rawValue: try integer(UInt8.self))
            else { throw .malformed("a trust setting") }
            decisions.append(PolicyDecision(policy, decision))
        }
        return decisions
    }
}

extension SecretBuffer {
    fileprivate func append(decisions: [PolicyDecision]) {
        append(count: decisions.count)
        for one in decisions {
            append(one.policy.rawValue)
            append(one.decision.rawValue)
        }
    }
}
