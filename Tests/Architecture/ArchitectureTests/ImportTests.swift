import Foundation
import Testing

/// Holds every file's imports against the rows of `Package.swift`: SwiftPM itself lets an undeclared import through
/// when some other dependency happens to bring the module along.
@Suite("A module imports only what its row allows")
struct ImportTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The modules that everybody may import besides those of the row.
    private static let platform: Set<String> = ["Glibc", "Synchronization", "Testing"]
    private static let layersWithFoundation: Set<String> = ["API", "Compatibility", "Examples"]

    /// Layers, the lowest first; a module uses modules of its own layer and of those named here.
    private static let below: [String: Set<String>] = [
        "CLibraries": [], "Base": ["CLibraries"], "Wire": ["Base"], "Enclave": ["Base", "Wire", "CLibraries"],
        "Agent": ["Base", "Wire", "CLibraries"],
        "Daemon": ["Base", "Wire", "CLibraries"],
        "API": ["Base", "Wire", "Daemon", "Enclave", "Compatibility", "CLibraries"],
        "Compatibility": ["Base"], "Tools": ["Base", "Wire"],
        "Bridges": ["Base", "Wire"], "Carrier": ["Base", "Wire", "CLibraries"],
        "Examples": ["API"],
    ]

    @Test("No file imports a module that its module's row does not name")
    func importsAreDeclared() throws {
        let modules = try Self.modules()
        #expect(modules.count > 15)
        var files = 0
        for module in modules {
            for file in try Self.swiftFiles(in: module.path) {
                files += 1
                for imported in try Self.imports(of: file) where !module.mayImport(imported) {
                    Issue.record("\(file.lastPathComponent) of \(module.name) imports \(imported)")
                }
            }
        }
        #expect(files > 100)
    }

    @Test("No row names a module of a layer above")
    func rowsPointDownwards() throws {
        let modules = try Self.modules()
        let layers = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0.layer) })
        for module in modules {
            for used in module.uses {
                let layer = layers[used] ?? "CLibraries"
                let allowed = layer == module.layer || Self.below[module.layer]?.contains(layer) == true
                #expect(allowed, "\(module.name) in \(module.layer) uses \(used) in \(layer)")
            }
        }
    }

    @Test(
        "Only one module touches each C library",
        arguments: [
            "CSQLite", "COpenSSL", "CArgon2", "CSeccomp", "CTSS2", "CSystemd", "CPAM", "CExpat", "CLinux",
            "CSecurity", "CPostgres", "CCurl",
        ])
    func oneModuleForEachLibrary(library: String) throws {
        let users = try Self.modules().filter { $0.uses.contains(library) }.map(\.name)
        #expect(users.count == 1, "\(library) is used by \(users)")
    }

    @Test("No program, and no part of the daemon that listens, can name a message of the enclave's")
    func enclaveMessagesStayInside() throws {
        let users = try Self.modules().filter { $0.uses.contains("EnclaveWire") && $0.layer != "Enclave" }
        let allowed: Set = [
            "UserPresence", "agent", "sessionagent", "KeychainEngine", "SyncService", "keychaind", "EmbeddedKeychain",
            "KeychainTesting",
        ]
        #expect(Set(users.map(\.name)) == allowed)
    }

    @Test("Engine and enclave meet in the embedded keychain alone")
    func engineAndEnclaveMeetOnce() throws {
        let both = try Self.modules().filter { $0.uses.contains("KeychainEngine") && $0.uses.contains("SecureEnclave") }
        #expect(both.map(\.name) == ["EmbeddedKeychain"])
    }

    @Test("Nobody uses the mutex of Synchronization, which the thread sanitizer does not see")
    func locks() throws {
        let root = Self.root
        for folder in ["Sources", "Tests", "Examples"] {
            for file in try Self.swiftFiles(in: root.appending(path: folder)) {
                let uses = try String(contentsOf: file, encoding: .utf8).contains(#/\bMutex\s*[<(]/#)
                #expect(!uses, "\(file.lastPathComponent) has a Mutex; LinuxSystem has a Lock")
            }
        }
    }

    private struct Module {
        let name: String
        let layer: String
        let path: URL
        let uses: Set<String>

        func mayImport(_ module: String) -> Bool {
            if uses.contains(module) || platform.contains(module) { return true }
            return layersWithFoundation.contains(layer) && ["Foundation", "Dispatch"].contains(module)
        }
    }

    /// The rows of the manifest: `module("Name", in: "Layer", uses: [...])` and `program(...)` alike.
    private static func modules() throws -> [Module] {
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        let row = #/(?:module|program)\(\s*"(\w+)", in: "(\w+)"(?:,\s*uses: \[([^\]]*)\])?/#
        return manifest.matches(of: row).map { match in
            let (name, layer) = (String(match.1), String(match.2))
            let uses = (match.3 ?? "").matches(of: #/"(\w+)"/#).map { String($0.1) }
            return Module(
                name: name, layer: layer, path: root.appending(path: "Sources/\(layer)/\(name)"), uses: Set(uses))
        }
    }

    private static func swiftFiles(in folder: URL) throws -> [URL] {
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    private static func imports(of file: URL) throws -> [String] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let line = #/(?m)^(?:@\w+ )?(?:\w+ )?import (?:struct |class |enum |func )?(\w+)/#
        return text.matches(of: line).map { String($0.1) }
    }
}
