import Glibc
import KeychainModel
package import LinuxSystem

/// The folders into which root, or a distribution's packages, put entitlements files, and what they said when they were
/// last read. They are read again soon after they change.
package final class EntitlementFolders: Sendable {
    /// Where they are, unless a command line says otherwise; what is in the first comes first.
    package static let usual = ["/etc/keychain/entitlements.d", "/usr/share/keychain/entitlements.d"]

    /// The state of a folder; nil where there is none.
    private typealias Look = FileVersion?

    private struct State {
        var installed = InstalledEntitlements()
        var looks: [Look]?
        /// When the folders were last looked at, and when they were last read.
        var lookedAt: UInt64 = 0
        var readAt: UInt64 = 0
    }

    private let folders: [String]
    private let trust: TrustedFiles
    private let interval: UInt64
    private let state = Lock(State())

    /// A folder has no trace of a file in it that was written in place, nor of a program that an update has put
    /// elsewhere.
    private static let longestRest: UInt64 = 60_000_000_000

    /// - Parameter interval: how long the last look counts: nanoseconds.
    package init(
        _ folders: [String] = EntitlementFolders.usual, trust: TrustedFiles = .installedByRoot,
        interval: UInt64 = 1_000_000_000
    ) {
        (self.folders, self.trust, self.interval) = (folders, trust, interval)
    }

    /// The installed entitlements; nil when they have to be read first (``read()``).
    package var known: InstalledEntitlements? { current { $0.installed } }

    /// The number of ``known``: with the same number it is the same.
    var reading: UInt64? { current { $0.installed.reading } }

    /// The answer to a question while the last reading counts; nil when the folders have to be read again.
    @inline(__always)
    private func current<Answer>(_ answer: (borrowing State) -> Answer) -> Answer? {
        let now = Clock.monotonicNanoseconds
        return state.withLock { state in isCurrent(&state, now) ? answer(state) : nil }
    }

    private func isCurrent(_ state: inout State, _ now: UInt64) -> Bool {
        guard state.looks != nil, now - state.readAt < Self.longestRest else { return false }
        if now - state.lookedAt < interval { return true }
        guard look() == state.looks else { return false }
        state.lookedAt = now
        return true
    }

    /// The installed entitlements, read now if they are not known.
    package func read() -> InstalledEntitlements {
        if let known { return known }
        // In this order: what changes in between is seen the next time.
        let (now, looks) = (Clock.monotonicNanoseconds, look())
        var installed = InstalledEntitlements()
        for folder in folders { Self.read(folder, trust, into: &installed) }
        return state.withLock { state in
            installed.reading = state.installed.reading + 1
            (state.installed, state.looks, state.lookedAt, state.readAt) = (installed, looks, now, now)
            return state.installed
        }
    }

    private func look() -> [Look] { folders.map { try? FileVersion(at: $0) } }
}

// MARK: - Reading

extension EntitlementFolders {
    private static let most = 1024

    private static func read(_ folder: String, _ trust: TrustedFiles, into installed: inout InstalledEntitlements) {
        guard let real = SymbolicLink.resolve(folder) else { return }
        do throws(TrustedFiles.Doubt) { try trust.check(folder: real) } catch {
            return installed.problems.append("no entitlements are read from \(folder): \(error)")
        }
        let names = ((try? FolderEntries.names(in: real)) ?? []).filter { $0.hasSuffix(".plist") && !$0.hasPrefix(".") }
            .sorted()
        for name in names.prefix(most) {
            let path = "\(real)/\(name)"
            do { try add(path, trust, to: &installed) } catch {
                installed.problems.append("\(path) is left out: \(error)")
            }
        }
    }

    private static func add(
        _ path: String, _ trust: TrustedFiles, to installed: inout InstalledEntitlements
    ) throws(TrustedFiles.Doubt) {
        let file = try trust.find(path).path
        let content = try InstalledFile(reading: file)
        guard !content.granted.groups.isEmpty else { throw TrustedFiles.Doubt(description: "it names no access group") }
        switch content.subject {
        case .program(let program):
            let program = ExactText(try trust.find(program).path)
            if installed.programs[program] == nil {
                installed.programs[program] = InstalledEntitlements.Program(file: file, granted: content.granted)
            }
        case .script(let script, let interpreter):
            let (script, interpreter) = (try trust.find(script).path, ExactText(try trust.find(interpreter).path))
            installed.scripts[interpreter, default: []].append(
                InstalledEntitlements.Script(
                    file: file, path: script, option: ScriptLine(of: script)?.option, granted: content.granted))
        }
    }
}

/// The first line of a script: `#!INTERPRETER [OPTION]` (execve(2)).
package struct ScriptLine: Equatable {
    package let interpreter: String
    package let option: String?

    /// - Parameter path: of a file; nil when it is no script.
    package init?(of path: String) {
        guard let file = try? FileDescriptor.open(path, O_RDONLY | O_NONBLOCK) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        var span = bytes.mutableSpan
        guard let count = try? file.readFully(into: &span) else { return nil }
        self.init(beginning: bytes.prefix(count))
    }

    init?(beginning bytes: some Sequence<UInt8>) {
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard line.hasPrefix("#!") else { return nil }
        let words = line.dropFirst(2).split(maxSplits: 1) { $0 == " " || $0 == "\t" }
        guard let first = words.first else { return nil }
        interpreter = String(first)
        // The kernel hands the rest on as one word, without the blanks at its end.
        var rest = words.dropFirst().first ?? ""
        rest = rest.drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        option = rest.isEmpty ? nil : String(rest)
    }
}
