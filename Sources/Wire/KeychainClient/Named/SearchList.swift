import Glibc
import LinuxSystem

/// The default keychain of a user, and the keychains that are searched, in order.
///
/// Both steer the command `security` and programs that ask for them; a query that names no keychain is about login's.
///
///     list    = "keychain-list 1" LF default *search
///     default = "default " place LF
///     search  = "search " place LF
///     place   = "login" / absolute path without control characters
package struct SearchList: Equatable, Sendable {
    package enum Place: Equatable, Sendable {
        case login
        case path(String)

        /// Paths are compared by their bytes, as the kernel does.
        package static func == (left: Self, right: Self) -> Bool {
            switch (left, right) {
            case (.login, .login): true
            case (.path(let one), .path(let other)): one.hasBytes(of: other)
            default: false
            }
        }
    }

    package var standard = Place.login
    package var search = [Place.login]

    private static let magic = "keychain-list 1"
    private static let login = "login"
    /// More names than a user has stores: names of other homes may stand in it.
    static let most = 256
    private static let longest = 1 << 20

    package init() {}

    /// Reads a list; nil for anything that is none.
    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self), text.hasSuffix("\n") else { return nil }
        let lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2, lines.count <= 2 + Self.most, lines[0] == Self.magic else { return nil }
        guard let standard = Self.place(lines[1], "default ") else { return nil }
        self.standard = standard
        search = []
        for line in lines[2...] {
            guard let place = Self.place(line, "search ") else { return nil }
            search.append(place)
        }
        removeRepetitions()
    }

    /// Leaves each keychain once: scripts put theirs before the list that there is, again and again.
    mutating func removeRepetitions() {
        search = search.enumerated().filter { !search[..<$0.offset].contains($0.element) }.map(\.element)
    }

    private static func place(_ line: Substring, _ key: String) -> Place? {
        guard line.hasPrefix(key) else { return nil }
        let place = line.dropFirst(key.count)
        if place == login { return .login }
        return isPath(place) ? .path(String(place)) : nil
    }

    /// Whether a line can hold it.
    static func isPath(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("/") && !text.unicodeScalars.contains { $0.value < 32 || $0.value == 127 }
    }

    var text: String {
        let search = search.filter { $0 == .login || Self.isPath(Self.word($0)) }
        let lines = ["default \(Self.word(standard))"] + search.prefix(Self.most).map { "search \(Self.word($0))" }
        return ([Self.magic] + lines).joined(separator: "\n") + "\n"
    }

    private static func word(_ place: Place) -> String {
        switch place {
        case .login: login
        case .path(let path): path
        }
    }

    /// Reads the file; a list of login alone where there is none.
    ///
    /// - Throws: `SystemError` of `open` or `read`; `EINVAL` for a file that is no list.
    static func load(_ path: String) throws(SystemError) -> SearchList {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try AtomicFile.read(path, limit: longest) } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return SearchList() }
            throw error
        }
        guard let list = SearchList(bytes) else {
            throw SystemError(code: EINVAL, call: "read", advice: "\(path) is not a list of keychains")
        }
        return list
    }
}
