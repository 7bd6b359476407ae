/// The installed SDK in a Swift package: a `systemLibrary` target, and a section at the end of the manifest that adds
/// it and makes those targets depend on it that use Security. Other targets and packages do not see the SDK.
struct SwiftSystemLibrary {
    let package: String
    let manifest: String

    private static let section = MarkedSection(comment: "//", target: "swift")
    private static let name = "SwiftSecurity"
    private static let moduleMap = """
        // What is needed is the pkg-config file that the target names; there is nothing to import.
        module \(name) {}

        """

    /// The changes that let the targets see the SDK.
    ///
    /// - Throws: ``CommandFailure`` for a manifest that has to be edited by hand.
    func addition(to targets: [SwiftPackageTarget]) throws(CommandFailure) -> [FileChange] {
        guard !targets.isEmpty else { return [] }
        let rest = try Self.section.removed(from: manifest, manifestPath)
        guard rest.contains("let package = ") || rest.contains("var package = ") else {
            throw .failed(
                "\(manifestPath) has no variable with the name package",
                remedy: "Add a systemLibrary target with the pkg-config name swift-security by hand.")
        }
        return [
            FileChange(
                path: manifestPath, before: manifest, after: rest + Self.section.section(Self.lines(for: targets))),
            FileChange(path: mapPath, before: try FileChange.read(mapPath), after: Self.moduleMap),
        ]
    }

    /// The changes that restore the state from before.
    ///
    /// - Throws: ``CommandFailure`` for a section without an end.
    func removal() throws(CommandFailure) -> [FileChange] {
        let map = try FileChange.read(mapPath)
        let rest = try Self.section.removed(from: manifest, manifestPath)
        return [
            FileChange(path: manifestPath, before: manifest, after: rest),
            FileChange(path: mapPath, before: map, after: map == Self.moduleMap ? nil : map),
        ]
    }

    private var manifestPath: String { "\(package)/Package.swift" }
    private var mapPath: String { "\(package)/\(Self.name)/module.modulemap" }

    private static func lines(for targets: [SwiftPackageTarget]) -> String {
        """
        // The targets that use Security see the SDK that is installed; others do not.
        package.targets.append(.systemLibrary(name: "\(name)", path: "\(name)", pkgConfig: "swift-security"))
        for target in package.targets where \(condition(targets)) {
            target.dependencies.append("\(name)")
        }

        """
    }

    /// Which of the manifest's targets they are.
    private static func condition(_ targets: [SwiftPackageTarget]) -> String {
        let keys = targets.compactMap(\.key)
        guard keys.count == targets.count else { return "[.regular, .executable, .test].contains(target.type)" }
        return "[\(keys.map { "\"\($0)\"" }.joined(separator: ", "))].contains(target.path ?? target.name)"
    }
}
