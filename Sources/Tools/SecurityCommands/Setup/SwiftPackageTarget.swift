import LinuxSystem

/// A folder of sources in a Swift package, and what its code says of Security.
struct SwiftPackageTarget {
    let folder: String
    /// What the manifest calls it: the path it gives, or the target's name; nil for the one target whose sources are not in a
    /// folder of their own.
    let key: String?
    /// Some file names something of Security, or imports it.
    private(set) var usesSecurity = false
    /// Some file does, and imports neither it nor what brings it along.
    private(set) var needsExport = false

    /// The targets in the folders that SwiftPM looks into, and in those that the manifest names.
    ///
    /// - Throws: ``CommandFailure`` for a source that cannot be read.
    static func all(of package: String, manifest: String) throws(CommandFailure) -> [SwiftPackageTarget] {
        var targets: [SwiftPackageTarget] = []
        for path in paths(in: manifest) where isFolder("\(package)/\(path)") {
            targets.append(try SwiftPackageTarget("\(package)/\(path)", path))
        }
        let known = Set(targets.map(\.folder))
        for parent in ["Sources", "Source", "src", "Tests"].map({ "\(package)/\($0)" }) {
            for name in names(parent) where isFolder("\(parent)/\(name)") && !known.contains("\(parent)/\(name)") {
                targets.append(try SwiftPackageTarget("\(parent)/\(name)", name))
            }
            if names(parent).contains(where: { $0.hasSuffix(".swift") }), !known.contains(parent) {
                targets.append(try SwiftPackageTarget(parent, nil))
            }
        }
        return targets
    }

    private init(_ folder: String, _ key: String?) throws(CommandFailure) {
        (self.folder, self.key) = (folder, key)
        for path in Self.swiftFiles(below: folder, depth: 8) {
            guard let source = try FileChange.read(path) else { continue }
            let (mentions, imports) = (Self.mentions(source), Self.imports(source))
            usesSecurity = usesSecurity || mentions || imports
            needsExport = needsExport || (mentions && !imports)
        }
    }

    /// The paths that a manifest gives its targets: inside of the package, and no package of their own.
    private static func paths(in manifest: String) -> [String] {
        manifest.split(separator: "\n").flatMap { line in
            let pieces = line.split(separator: "\"")
            return zip(pieces, pieces.dropFirst()).compactMap { before, literal in
                let isPath = before.filter { $0 != " " }.hasSuffix("path:")
                return isPath && !literal.hasPrefix(".") && !literal.hasPrefix("/") ? String(literal) : nil
            }
        }
    }

    private static let prefixes = ["kSec", "SecItem", "SecKey", "SecCertificate", "SecTrust", "SecAccess", "errSec"]

    private static func mentions(_ source: String) -> Bool {
        let words = Set(source.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        return words.contains { word in prefixes.contains { word.hasPrefix($0) && word.count > $0.count } }
    }

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
