import LinuxSystem

/// Makes the Swift package in the working folder ready for Security.
///
/// Targets whose code names its functions and never imports it get what Foundation does on Apple's systems: a file that
/// re-exports it, and `AppleCompat` where Foundation itself has more there. On demand the targets that use it depend on
/// the SDK that is installed.
enum SwiftSetup {
    static let target = SetupTarget(
        name: "swift",
        summary: "targets of the package here that use Security without importing it get a file that imports it"
    ) { place, wish throws(CommandFailure) in
        guard let package = place.variable("PWD"), let manifest = try FileChange.read("\(package)/Package.swift") else {
            throw .failed("there is no Package.swift here", remedy: "Go to the package's folder first.")
        }
        let targets = try SwiftPackageTarget.all(of: package, manifest: manifest)
        if wish.protectsFiles {
            return try targets.map { target throws(CommandFailure) in
                try SwiftFileProtection.change(
                    in: target.folder, adds: !target.protecting.isEmpty, undoes: wish.undoes)
            }
        }
        let exports = try targets.map { target throws(CommandFailure) in
            try target.export(among: targets).change(in: target.folder, undoes: wish.undoes)
        }
        let library = SwiftSystemLibrary(package: package, manifest: manifest)
        if wish.undoes {
            let protection = try targets.map { target throws(CommandFailure) in
                try SwiftFileProtection.change(in: target.folder, adds: false, undoes: true)
            }
            return exports + protection + (try library.removal())
        }
        return exports + (wish.addsLibrary ? try library.addition(to: targets.filter(\.usesSecurity)) : [])
    }

    /// The files of the package here that name Foundation's protection of files, and whether that protects something.
    ///
    /// - Throws: ``CommandFailure`` where there is no package.
    static func fileProtection(_ place: SetupPlace) throws(CommandFailure) -> [(path: String, protects: Bool)] {
        guard let package = place.variable("PWD"), let manifest = try FileChange.read("\(package)/Package.swift") else {
            throw .failed("there is no Package.swift here", remedy: "Go to the package's folder first.")
        }
        var found: [(path: String, protects: Bool)] = []
        for target in try SwiftPackageTarget.all(of: package, manifest: manifest) {
            let protects = try SwiftFileProtection.isThere(in: target.folder)
            found += target.protecting.map { ($0, protects) }
        }
        return found
    }
}
