import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

extension Setting.Values {
    /// The largest configuration file that is read.
    private static let fileLimit = 64 << 10

    /// Takes what the variables of the table say. Others that begin alike are left alone: build scripts for Apple
    /// systems have long used names such as `KEYCHAIN_PASSWORD` for things of their own.
    mutating func read(_ environment: (String) -> String?) throws(Refusal) {
        for setting in Setting.table {
            guard let text = environment(setting.variable), !text.isEmpty else { continue }
            guard setting.read(text, &self) else { throw .wrongValue(setting, text, at: setting.variable) }
            given[setting.key] = text
        }
    }

    /// Takes what the administrator has fixed.
    ///
    /// - Throws: `errSecParam`: `policy.administrator` for a setting of the user's that says something else,
    ///   `configuration.invalid` for one that there is not or that makes no sense.
    mutating func fix(by policy: AdministratorPolicy) throws(Refusal) {
        for fixed in policy.fixed {
            guard let setting = Setting.table.first(where: { $0.key == fixed.key && $0.mayBeFixed }) else {
                let names = AdministratorPolicy.demands + Setting.table.filter(\.mayBeFixed).map(\.key)
                throw .unknownSetting(fixed.key[...], at: fixed.place, names)
            }
            if let given = given[fixed.key], !fixed.says(given) { throw .isFixed(fixed, given) }
            guard setting.read(fixed.value, &self) else { throw .wrongValue(setting, fixed.value, at: fixed.place) }
        }
    }

    /// Takes the lines of a configuration file, if there is one:
    ///
    ///     # comment
    ///     key = value
    mutating func read(file path: String) throws(Refusal) {
        let content = try Self.content(of: path)
        // Nearly all users have none, and a command that ends at once would feel the splitting of nothing.
        guard !content.isEmpty else { return }
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            try read(String(decoding: line, as: UTF8.self)[...], at: "\(path):\(index + 1)")
        }
    }

    private mutating func read(_ line: Substring, at place: String) throws(Refusal) {
        let line = line.trimmed
        if line.isEmpty || line.hasPrefix("#") { return }
        guard let equals = line.firstIndex(of: "=") else { throw .notASetting(line, at: place) }
        let (key, text) = (line[..<equals].trimmed, String(line[line.index(after: equals)...].trimmed))
        guard let setting = Setting.table.first(where: { $0.key == key }) else {
            throw .unknownSetting(key, at: place, Setting.table.map(\.key))
        }
        guard setting.read(text, &self) else { throw .wrongValue(setting, text, at: place) }
        given[setting.key] = text
    }

    private static func content(of path: String) throws(Refusal) -> [UInt8] {
        do throws(SystemError) { return try AtomicFile.read(path, limit: fileLimit) } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return [] }
            throw .unreadable(path, error)
        }
    }
}

extension Refusal {
    /// - Parameter given: what the user says instead.
    static func isFixed(_ fixed: AdministratorPolicy.Fixed, _ given: String) -> Refusal {
        Refusal(
            .param, .administrator, fixed.key,
            "\(fixed.key) is \"\(fixed.value)\" on this machine, and not \"\(given)\": "
                + "the administrator demands it in \(fixed.place).",
            do: "Leave the setting out.")
    }

    fileprivate static func wrongValue(_ setting: Setting, _ text: String, at place: String) -> Refusal {
        Refusal(
            .param, .configuration, place, "\(setting.key) takes \(setting.takes); \"\(text)\" is something else.",
            do: "Correct \(place), or remove it for the default: \(setting.standard).")
    }

    fileprivate static func unknownSetting(_ key: Substring, at place: String, _ names: [String]) -> Refusal {
        Refusal(
            .param, .configuration, place, "There is no setting \"\(key)\" for \(place).",
            do: "Correct \(place): use one of \(names.joined(separator: ", ")).")
    }

    fileprivate static func notASetting(_ line: Substring, at place: String) -> Refusal {
        Refusal(
            .param, .configuration, place, "The line \"\(line)\" is neither a comment nor a setting.",
            do: "Write it as: key = value")
    }

    fileprivate static func unreadable(_ path: String, _ error: SystemError) -> Refusal {
        Refusal(
            .param, .configuration, path, "The configuration file cannot be read: \(error).",
            do: "Make it a readable text file, or remove it.")
    }
}
