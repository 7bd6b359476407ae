import Glibc
package import KeychainModel
package import LinuxSystem

/// The administrator's demands on every keychain of a machine, and the settings that its users may not change.
///
///     # comment
///     key = value
///
/// The file is believed when it, and every folder above it, is root's and nobody else may write there. It names no
/// user and nothing of a user's; a program that the kernel marks reads it like every other.
package struct AdministratorPolicy: Equatable, Sendable {
    package static let usualPath = "/etc/keychain/keychain.conf"
    private static let fileLimit = 64 << 10

    /// A setting of programs that is as it says, and where the file says so.
    package struct Fixed: Equatable, Sendable {
        package let key, value, place: String

        /// Whether another text says the same, as a text or as a number.
        package func says(_ text: String) -> Bool {
            if text == value { return true }
            guard let number = UInt32(text) else { return false }
            return number == UInt32(value)
        }
    }

    package let path: String
    /// A password has so many characters at least; 0 for no demand.
    package private(set) var minimumPasscode: UInt32 = 0
    /// No keychain is made without a TPM, or moved off it.
    package private(set) var requiresTPM = false
    /// A keychain with a password locks after so many seconds without use, or earlier; 0 for no demand.
    package private(set) var longestIdle: UInt32 = 0
    package private(set) var locksOnSleep = false
    /// Settings that users may not change.
    package private(set) var fixed: [Fixed] = []

    package static let none = AdministratorPolicy(path: usualPath)

    private init(path: String) { self.path = path }

    /// Reads the policy; there is none where there is no file.
    ///
    /// - Parameter trusted: the files that are believed.
    /// - Throws: `errSecNotAvailable` (`policy.untrusted`) for a file that others than root could have written, or
    ///   that cannot be read; `errSecParam` (`configuration.invalid`) for a line that makes no sense. Nothing holds
    ///   then, so that no keychain is used.
    package static func load(
        from path: String = usualPath, trusting trusted: TrustedFiles = .installedByRoot
    ) throws(Refusal) -> AdministratorPolicy {
        var policy = AdministratorPolicy(path: path)
        guard try isThere(path) else { return policy }
        let content: [UInt8]
        do throws(TrustedFiles.Doubt) { content = try read(try trusted.find(path).path) } catch {
            throw .untrustedPolicy(path, error.description)
        }
        for (index, line) in content.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            try policy.take(String(decoding: line, as: UTF8.self)[...].trimmed, at: "\(path):\(index + 1)")
        }
        return policy
    }

    private static func isThere(_ path: String) throws(Refusal) -> Bool {
        do throws(SystemError) { return try FileStatus(ofLink: path) != nil } catch {
            if error.code == ENOTDIR { return false }
            throw .untrustedPolicy(path, "\(error)")
        }
    }

    private static func read(_ path: String) throws(TrustedFiles.Doubt) -> [UInt8] {
        do throws(SystemError) { return try AtomicFile.read(path, limit: fileLimit) } catch {
            throw TrustedFiles.Doubt(description: "\(error)")
        }
    }

    /// The keys that are no settings of users'.
    package static let demands = ["minimum-passcode", "lock-after", "require-tpm", "lock-on-sleep"]

    private mutating func take(_ line: Substring, at place: String) throws(Refusal) {
        if line.isEmpty || line.hasPrefix("#") { return }
        guard let equals = line.firstIndex(of: "=") else { throw .wrongPolicy(place, "\"\(line)\" is no setting.") }
        let (key, text) = (String(line[..<equals].trimmed), String(line[line.index(after: equals)...].trimmed))
        switch key {
        case "minimum-passcode": minimumPasscode = try Self.number(text, 1...UInt32(WireLimits.passcodeBytes), place)
        case "lock-after": longestIdle = try Self.number(text, 1...Self.longestTime, place)
        case "require-tpm": requiresTPM = try Self.consent(text, place)
        case "lock-on-sleep": locksOnSleep = try Self.consent(text, place)
        default: fixed.append(Fixed(key: key, value: text, place: place))
        }
    }

    /// A year, as for the user's own setting.
    private static let longestTime: UInt32 = 366 * 24 * 60 * 60

    private static func number(_ text: String, _ range: ClosedRange<UInt32>, _ place: String) throws(Refusal) -> UInt32
    {
        guard let number = UInt32(text), range.contains(number) else {
            throw .wrongPolicy(place, "\"\(text)\" is no number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    private static func consent(_ text: String, _ place: String) throws(Refusal) -> Bool {
        guard text == "yes" || text == "no" else { throw .wrongPolicy(place, "\"\(text)\" is neither yes nor no.") }
        return text == "yes"
    }
}

extension AdministratorPolicy {
    /// When a keychain with these settings locks by itself.
    package func applied(to settings: DeviceSettings) -> DeviceSettings {
        let isLonger = settings.idleSeconds == 0 || settings.idleSeconds > longestIdle
        return DeviceSettings(
            locksOnSleep: settings.locksOnSleep || locksOnSleep,
            idleSeconds: longestIdle > 0 && isLonger ? longestIdle : settings.idleSeconds)
    }

    /// - Throws: `errSecParam` (`policy.administrator`) for settings that lock later than it demands, or not at all.
    package func check(_ settings: DeviceSettings) throws(Refusal) {
        guard applied(to: settings) != settings else { return }
        let demands =
            (longestIdle > 0 ? ["after \(longestIdle) s without use at the latest"] : [])
            + (locksOnSleep ? ["on sleep"] : [])
        throw refusal(
            "settings", "Keychains on this machine lock \(demands.joined(separator: ", and ")).",
            "Choose settings that do.")
    }

    /// - Throws: `errSecParam` (`policy.administrator`) for a password that is shorter than it demands.
    package func check(passcode: SecretBytes) throws(Refusal) {
        // A character of UTF-8 begins with any byte but those that go on.
        let characters = passcode.withSpan { bytes in
            bytes.indices.reduce(0) { $0 + (bytes[$1] & 0xc0 == 0x80 ? 0 : 1) }
        }
        guard characters < Int(minimumPasscode) else { return }
        throw refusal(
            "password", "A password on this machine has at least \(minimumPasscode) characters.", "Choose a longer one."
        )
    }

    /// - Throws: `errSecParam` (`policy.administrator`) where a keychain with a password keeps one.
    package func checkRemoval() throws(Refusal) {
        guard minimumPasscode > 0 else { return }
        throw refusal("password", "A password that is set on this machine stays set.", "Change it instead.")
    }

    /// - Throws: `errSecNotAvailable` (`policy.administrator`) for keys that would rest on the file alone.
    package func checkSoftware() throws(Refusal) {
        guard requiresTPM else { return }
        throw refusal(
            "tpm", "Keychains on this machine rest on its TPM.",
            "See that the TPM can be used (docs/guides/device.md).", .notAvailable)
    }

    private func refusal(
        _ subject: String, _ problem: String, _ remedy: String, _ status: KeychainStatus = .param
    ) -> Refusal {
        Refusal(status, .administrator, subject, "\(problem) The administrator demands it in \(path).", do: remedy)
    }
}

extension Substring {
    /// Without the blanks at both ends.
    package var trimmed: Substring {
        let blanks: Set<Character> = [" ", "\t", "\r"]
        guard let first = firstIndex(where: { !blanks.contains($0) }),
            let last = lastIndex(where: { !blanks.contains($0) })
        else { return "" }
        return self[first...last]
    }
}

extension Refusal.Rule {
    /// The administrator's policy forbids it.
    package static let administrator = Self(rawValue: "policy.administrator")
    /// The administrator's policy could be somebody else's.
    package static let untrustedPolicy = Self(rawValue: "policy.untrusted")
}

extension Refusal {
    fileprivate static func untrustedPolicy(_ path: String, _ reason: String) -> Refusal {
        Refusal(
            .notAvailable, .untrustedPolicy, path, "The administrator's policy \(path) is not believed: \(reason).",
            do: "As root, see that it and the folders above it are root's, that all may read it "
                + "and nobody else write there."
        )
    }

    fileprivate static func wrongPolicy(_ place: String, _ problem: String) -> Refusal {
        Refusal(
            .param, Refusal.Rule(rawValue: "configuration.invalid"), place,
            "The administrator's policy makes no sense: \(problem)", do: "As root, correct \(place).")
    }
}
