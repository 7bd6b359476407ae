import Glibc
import LinuxSystem

/// All files that the loader brings into a program before its first instruction: its interpreter and its libraries,
/// with theirs. Each must be where only root could have put it, and so must each folder in which one is looked for.
///
/// Where the loader would take the first that it finds, all are looked at. Files that a program loads later (dlopen(3))
/// are not known here.
struct LoadedFiles {
    /// The files that cannot be trusted, and why.
    struct Doubt: Error {
        let description: String
    }

    private let trusted: TrustedFiles
    private let listed: [String: [String]]
    private var seen: Set<String> = []

    /// - Parameter listed: where the system's list has libraries by their names.
    init(_ trusted: TrustedFiles = .installedByRoot, listed: [String: [String]]) {
        (self.trusted, self.listed) = (trusted, listed)
    }

    /// Where the loader looks without being told to, on the systems there are.
    private static let usualFolders = [
        "/lib", "/usr/lib", "/lib64", "/usr/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
        "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
    ]
    private static let largest = 1 << 30
    private static let mostFiles = 1000

    /// Checks what a program file brings with it.
    ///
    /// - Parameter path: without symbolic links.
    mutating func check(_ path: String) throws(Doubt) { try check(path, inherited: []) }

    private mutating func check(_ path: String, inherited: [String]) throws(Doubt) {
        guard seen.insert(path).inserted else { return }
        guard seen.count <= Self.mostFiles else {
            throw Doubt(description: "it loads more than \(Self.mostFiles) files")
        }
        let section = try read(path)
        if let interpreter = section.interpreter { try look(interpreter, of: path) }
        let own = try section.runPaths.map { text throws(Doubt) in try folder(text, of: path) }
        // A DT_RPATH serves what the libraries need, too; it does no harm to hold a DT_RUNPATH to the same.
        let folders = own + inherited.filter { !own.contains($0) }
        for name in section.needed { try find(name, folders, neededBy: path) }
    }

    private func read(_ path: String) throws(Doubt) -> DynamicSection {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try AtomicFile.read(path, limit: Self.largest) } catch {
            throw Doubt(description: "\(path) cannot be read: \(error)")
        }
        do throws(DynamicSection.Unreadable) { return try DynamicSection(bytes) } catch {
            throw Doubt(description: "\(path) is no 64-bit program or library")
        }
    }

    /// A folder of a run path, as the loader reads it.
    private func folder(_ text: String, of path: String) throws(Doubt) -> String {
        let origin = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        var folder = text
        for name in ["$ORIGIN", "${ORIGIN}"] where folder.hasPrefix(name) {
            folder = origin + folder.dropFirst(name.count)
        }
        guard folder.hasPrefix("/"), !folder.contains("$") else {
            throw Doubt(description: "\(path) has libraries looked for in \"\(text)\", which can be anywhere")
        }
        try check(folder: folder, of: path)
        return folder
    }

    /// A folder that is not there yet must not be anybody's to make.
    private func check(folder: String, of path: String) throws(Doubt) {
        // The folders of the way are looked at one by one, for a later one may lead elsewhere.
        var existing = folder
        while SymbolicLink.resolve(existing) == nil, existing != "/" {
            existing =
                existing.lastIndex(of: "/").map { $0 == existing.startIndex ? "/" : String(existing[..<$0]) } ?? "/"
        }
        let real = SymbolicLink.resolve(existing) ?? "/"
        do throws(TrustedFiles.Doubt) {
            try trusted.check(folder: real)
            // A missing file could be made in a folder that all may write, sticky or not.
            if existing != folder, (try? FileStatus(at: real))?.isWritableByOthers != false {
                throw TrustedFiles.Doubt(description: "others may make \(folder)")
            }
        } catch { throw Doubt(description: "\(path) has libraries looked for in \(folder): \(error)") }
    }

    private mutating func find(_ name: String, _ folders: [String], neededBy path: String) throws(Doubt) {
        if name.contains("/") {
            guard name.hasPrefix("/") else {
                throw Doubt(description: "\(path) needs \"\(name)\", which can be anywhere")
            }
            return try look(name, of: path, inherited: folders)
        }
        var candidates = listed[name] ?? []
        for folder in folders + Self.usualFolders {
            let kinds = (try? FolderEntries.names(in: folder + "/glibc-hwcaps")) ?? []
            candidates += ([folder] + kinds.map { "\(folder)/glibc-hwcaps/\($0)" }).map { "\($0)/\(name)" }
        }
        candidates = candidates.filter { (try? FileStatus(ofLink: $0)) != nil }
        guard !candidates.isEmpty else { throw Doubt(description: "\(path) needs \(name), which is not there") }
        for candidate in candidates { try look(candidate, of: path, inherited: folders) }
    }

    /// Checks a file, and what it brings with it.
    private mutating func look(_ file: String, of path: String, inherited: [String] = []) throws(Doubt) {
        let real: String
        do throws(TrustedFiles.Doubt) { real = try trusted.find(file).path } catch {
            throw Doubt(description: "\(path) loads \(file): \(error)")
        }
        try check(real, inherited: inherited)
    }
}
