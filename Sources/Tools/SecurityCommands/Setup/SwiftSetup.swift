import LinuxSystem

/// Gives the targets of the Swift package in the working folder what Foundation does on Apple's systems: a file that re-exports
/// Security, for code that names its functions and never imports it.
enum SwiftSetup {
    static let target = SetupTarget(
        name: "swift",
        summary: "targets of the package here that use Security without importing it get a file that imports it"
    ) { place, undoes throws(CommandFailure) in
        guard let package = place.variable("PWD"), try FileChange.read("\(package)/Package.swift") != nil else {
            throw .failed("there is no Package.swift here", remedy: "Go to the package's folder first.")
        }
        var changes: [FileChange] = []
        for folder in try targets(of: package) {
            let path = "\(folder)/\(fileName)"
            let before = try FileChange.read(path)
            if undoes {
                if before == text { changes.append(FileChange(path: path, before: before, after: nil)) }
            } else if before == nil, try needsExport(folder) {
                changes.append(FileChange(path: path, before: nil, after: text))
            }
        }
        return changes
    }

    private static let fileName = "ReexportSecurity.swift"

    private static let text = """
        // On Apple's systems Foundation brings Security with it; elsewhere this does, for every file of the target.
        #if canImport(Security)
            @_exported import Security
        #endif

        """

    private static func targets(of package: String) throws(CommandFailure) -> [String] {
        var folders: [String] = []
        for parent in ["Sources", "Source", "src", "Tests"] {
            for name in names("\(package)/\(parent)") where isFolder("\(package)/\(parent)/\(name)") {
                folders.append("\(package)/\(parent)/\(name)")
            }
            if names("\(package)/\(parent)").contains(where: { $0.hasSuffix(".swift") }) {
                folders.append("\(package)/\(parent)")
            }
        }
        return folders
    }

    /// Whether some file of the target names something of Security, and imports neither it nor what brings it along.
    private static func needsExport(_ folder: String) throws(CommandFailure) -> Bool {
        for path in swiftFiles(below: folder, depth: 8) {
            guard let source = try FileChange.read(path) else { continue }
            let words = Set(source.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
            let uses = words.contains { word in prefixes.contains { word.hasPrefix($0) && word.count > $0.count } }
            if uses, !imports(source) { return true }
        }
        return false
    }

    private static let prefixes = ["kSec", "SecItem", "SecKey", "SecCertificate", "SecTrust", "SecAccess", "errSec"]

    private static func imports(_ source: String) -> Bool {
        source.split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            return words.contains("import") && ["Security", "LocalAuthentication"].contains(words.last ?? "")
        }
    }

    private static func swiftFiles(below folder: String, depth: Int) -> [String] {
        guard depth > 0 else { return [] }
        return names(folder).flatMap { name in
            let path = "\(folder)/\(name)"
            if name.hasSuffix(".swift") { return [path] }
            return isFolder(path) ? swiftFiles(below: path, depth: depth - 1) : []
        }
    }

    private static func names(_ folder: String) -> [String] {
        ((try? FolderEntries.names(in: folder)) ?? []).filter { !$0.hasPrefix(".") }
    }

    private static func isFolder(_ path: String) -> Bool { (try? FileStatus(ofLink: path)?.isDirectory) ?? false }
}
