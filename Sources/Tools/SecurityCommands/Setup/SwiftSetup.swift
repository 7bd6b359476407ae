import LinuxSystem

/// Makes the Swift package in the working folder ready for Security.
///
/// Targets whose code names its functions and never imports it get what Foundation does on Apple's systems: a file that
/// re-exports it. On demand the targets that use it depend on the SDK that is installed.
enum SwiftSetup {
    static let target = SetupTarget(
        name: "swift",
        summary: "targets of the package here that use Security without importing it get a file that imports it"
    ) { place, wish throws(CommandFailure) in
        guard let package = place.variable("PWD"), let manifest = try FileChange.read("\(package)/Package.swift") else {
            throw .failed("there is no Package.swift here", remedy: "Go to the package's folder first.")
        }
        let targets = try SwiftPackageTarget.all(of: package, manifest: manifest)
        let exports = try targets.map { target throws(CommandFailure) in try export(target, wish) }
        let library = SwiftSystemLibrary(package: package, manifest: manifest)
        if wish.undoes { return exports + (try library.removal()) }
        return exports + (wish.addsLibrary ? try library.addition(to: targets.filter(\.usesSecurity)) : [])
    }

    private static func export(_ target: SwiftPackageTarget, _ wish: SetupWish) throws(CommandFailure) -> FileChange {
        let path = "\(target.folder)/\(fileName)"
        let before = try FileChange.read(path)
        if wish.undoes { return FileChange(path: path, before: before, after: before == text ? nil : before) }
        return FileChange(path: path, before: before, after: target.needsExport ? before ?? text : before)
    }

    private static let fileName = "ReexportSecurity.swift"

    private static let text = """
        // On Apple's systems Foundation brings Security with it; elsewhere this does, for every file of the target.
        #if canImport(Security)
            @_exported import Security
        #endif

        """
}
