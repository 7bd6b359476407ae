import Glibc
import LinuxSystem

/// A change of the default keychain or of the search list, as it was noted: they decide where new items go, and what is
/// found.
///
///     change  = seconds " " list " " program " " value LF
///     list    = "default" / "search"
///     program = the path of the program, blanks as "_"
///     value   = the default; the count of keychains, then the first
package struct ListChange: Equatable, Sendable {
    /// The changed list.
    package enum Subject: String, Sendable {
        case standard = "default"
        case search
    }

    /// Seconds since 1970.
    package let time: Int64
    package let subject: Subject
    /// The path of the program that made the change.
    package let program: String
    package let value: String

    /// Older ones are dropped.
    static let most = 32
    private static let longest = 1 << 20

    /// The differences between two lists.
    static func changes(from old: SearchList, to new: SearchList) -> [ListChange] {
        let standard = old.standard == new.standard ? [] : [ListChange(.standard, word(new.standard))]
        guard old.search != new.search else { return standard }
        let first = new.search.first.map { ", the first \(word($0))" } ?? ""
        return standard + [ListChange(.search, "\(new.search.count) keychains\(first)")]
    }

    private static func word(_ place: SearchList.Place) -> String {
        if case .path(let path) = place { path } else { "login" }
    }

    private init(_ subject: Subject, _ value: String) {
        (self.subject, self.value) = (subject, value)
        time = Int64(clamping: Clock.realtimeNanoseconds / 1_000_000_000)
        let own = try? ExecutableFile(ofProcess: CurrentProcess.identifier).path
        program = String(own?.map { $0.isWhitespace ? "_" : $0 } ?? Array("?"))
    }

    private init?(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, let time = Int64(words[0]), let subject = Subject(rawValue: String(words[1])) else {
            return nil
        }
        (self.time, self.subject, program, value) = (time, subject, String(words[2]), String(words[3]))
    }

    var line: String { "\(time) \(subject.rawValue) \(program) \(value)\n" }

    /// Reads the file; nothing where there is none. A line that is no change is left out.
    ///
    /// - Throws: `SystemError` of `open` or `read`.
    static func load(_ path: String) throws(SystemError) -> [ListChange] {
        do throws(SystemError) {
            let text = String(decoding: try AtomicFile.read(path, limit: longest), as: UTF8.self)
            return text.split(separator: "\n").compactMap { ListChange($0) }
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return [] }
            throw error
        }
    }
}
