import LinuxSystem

/// A folder of sources in a Swift package, and what its code says of Security.
struct SwiftPackageTarget {
    let folder: String
    /// Its name in the manifest: the path it gives, or the target's name; nil for the one target whose sources are
    /// not in a folder of their own.
    let key: String?
    private let sources: [SwiftSource]
    /// The paths of its files that name Foundation's protection of files.
    let protecting: [String]

    /// Some file names something of Security, or imports it.
    var usesSecurity: Bool {
        lacksSecurity || sources.contains { !$0.imports.isDisjoint(with: BorrowedNames.security.modules) }
    }
    /// Some file names what Foundation brings along on Apple's systems, and imports nothing that does here.
    var lacksSecurity: Bool { sources.contains { $0.lacks(.security) || $0.lacks(.coreFoundation) } }
    /// Some file names what Apple's Foundation has and Linux's lacks.
    var lacksCompat: Bool { sources.contains { $0.lacks(.appleCompat) } }
    /// The module that its sources make.
    var module: Substring? { folder.split(separator: "/").last }
    private var isTest: Bool { folder.split(separator: "/").dropLast().last == "Tests" }

    /// The targets in the folders that SwiftPM looks into, and in those that the manifest names.
    ///
    /// - Throws: ``CommandFailure`` for a source that cannot be read.
    static func all(of package: String, manifest: String) throws(CommandFailure) -> [SwiftPackageTarget] {
        var targets: [SwiftPackageTarget] = []
        for path in paths(in: manifest) where isFolder("\(package)/\(path)") {
            targets.append(try SwiftPackageTarget("\(package)/\(path)", path))
        }
        let known = Set(targets.map(\.folder))
        for parent in ["Sources", "Source", "src", "Tests"].map({ "\(package)/\($0)" }) where !known.contains(parent) {
            for (folder, key) in folders(in: parent, manifest) where !known.contains(folder) {
                targets.append(try SwiftPackageTarget(folder, key))
            }
        }
        return targets
    }

    /// The folders of targets below one: itself where sources lie in it, unless the manifest names one of its folders.
    /// Other files there, as `LinuxMain.swift`, belong to no target.
    private static func folders(in parent: String, _ manifest: String) -> [(String, String?)] {
        let folders = names(parent).filter { isFolder("\(parent)/\($0)") }
        let hasSources = names(parent).contains { $0.hasSuffix(".swift") && $0 != "LinuxMain.swift" }
        if hasSources, !folders.contains(where: { manifest.contains("\"\($0)\"") }) { return [(parent, nil)] }
        return folders.map { ("\(parent)/\($0)", $0) }
    }

    private init(_ folder: String, _ key: String?) throws(CommandFailure) {
        var (sources, protecting): ([SwiftSource], [String]) = ([], [])
        let own = ["/\(SwiftExport.fileName)", "/\(SwiftFileProtection.fileName)"]
        for path in Self.swiftFiles(below: folder, depth: 8) where !own.contains(where: path.hasSuffix) {
            guard let text = try FileChange.read(path) else { continue }
            let source = SwiftSource(text)
            sources.append(source)
            if !source.words.isDisjoint(with: SwiftFileProtection.words) { protecting.append(path) }
        }
        (self.folder, self.key, self.sources, self.protecting) = (folder, key, sources, protecting.sorted())
    }

    /// The file for what it lacks when these targets have theirs: a test that imports one gets it from there.
    func export(among others: [SwiftPackageTarget]) -> SwiftExport {
        guard isTest else { return SwiftExport(security: lacksSecurity, compat: lacksCompat) }
        let (security, compat) = (others.filter(\.exportsSecurity), others.filter(\.exportsCompat))
        return SwiftExport(
            security: lacks([.security, .coreFoundation], without: security),
            compat: lacks([.appleCompat], without: compat))
    }

    private var exportsSecurity: Bool { !isTest && lacksSecurity }
    private var exportsCompat: Bool { !isTest && lacksCompat }

    private func lacks(_ names: [BorrowedNames], without others: [SwiftPackageTarget]) -> Bool {
        let modules = Set(others.compactMap { $0.module.map(String.init) })
        return sources.contains { source in
            source.imports.isDisjoint(with: modules) && names.contains { source.lacks($0) }
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
