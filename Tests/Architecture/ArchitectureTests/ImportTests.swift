import Foundation
import Testing

/// Holds every file's imports against the rows of `Package.swift`: SwiftPM itself lets an undeclared import through when some
/// other dependency happens to bring the module along.
@Suite("A room imports only what its row allows")
struct ImportTests {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// What everybody may import beside the rooms of the row.
    private static let platform: Set<String> = ["Glibc", "Synchronization", "Testing"]
    private static let floorsWithFoundation: Set<String> = ["API", "Examples"]

    /// Floors from the ground up; a room uses rooms of its own floor and of those named here.
    private static let below: [String: Set<String>] = [
        "CLibraries": [], "Base": ["CLibraries"], "Wire": ["Base"], "Enclave": ["Base", "Wire", "CLibraries"],
        "Agent": ["Base", "Wire", "CLibraries"],
        "Daemon": ["Base", "Wire", "CLibraries"], "API": ["Base", "Wire", "Daemon", "Enclave", "CLibraries"],
        "Tools": ["Base", "Wire"], "Examples": ["API"],
    ]

    @Test("No file imports a module that its room's row does not name")
    func importsAreDeclared() throws {
        let rooms = try Self.rooms()
        #expect(rooms.count > 15)
        var files = 0
        for room in rooms {
            for file in try Self.swiftFiles(in: room.path) {
                files += 1
                for module in try Self.imports(of: file) where !room.mayImport(module) {
                    Issue.record("\(file.lastPathComponent) of \(room.name) imports \(module)")
                }
            }
        }
        #expect(files > 100)
    }

    @Test("No row names a room of a floor above")
    func rowsPointDownwards() throws {
        let rooms = try Self.rooms()
        let floors = Dictionary(uniqueKeysWithValues: rooms.map { ($0.name, $0.floor) })
        for room in rooms {
            for used in room.uses {
                let floor = floors[used] ?? "CLibraries"
                let allowed = floor == room.floor || Self.below[room.floor]?.contains(floor) == true
                #expect(allowed, "\(room.name) on \(room.floor) uses \(used) on \(floor)")
            }
        }
    }

    @Test(
        "Only one room touches each C library",
        arguments: [
            "CSQLite", "COpenSSL", "CArgon2", "CSeccomp", "CTSS2", "CSystemd", "CPAM", "CLinux",
            "CSecurity",
        ])
    func oneRoomForEachLibrary(library: String) throws {
        let users = try Self.rooms().filter { $0.uses.contains(library) }.map(\.name)
        #expect(users.count == 1, "\(library) is used by \(users)")
    }

    @Test("Engine and enclave meet in the embedded keychain alone")
    func engineAndEnclaveMeetOnce() throws {
        let both = try Self.rooms().filter { $0.uses.contains("KeychainEngine") && $0.uses.contains("SecureEnclave") }
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

    private struct Room {
        let name: String
        let floor: String
        let path: URL
        let uses: Set<String>

        func mayImport(_ module: String) -> Bool {
            if uses.contains(module) || platform.contains(module) { return true }
            return floorsWithFoundation.contains(floor) && ["Foundation", "Dispatch"].contains(module)
        }
    }

    /// The rows of the manifest: `room("Name", on: "Floor", uses: [...])` and `program(...)` alike.
    private static func rooms() throws -> [Room] {
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        let row = #/(?:room|program)\(\s*"(\w+)", on: "(\w+)"(?:,\s*uses: \[([^\]]*)\])?/#
        return manifest.matches(of: row).map { match in
            let (name, floor) = (String(match.1), String(match.2))
            let uses = (match.3 ?? "").matches(of: #/"(\w+)"/#).map { String($0.1) }
            return Room(
                name: name, floor: floor, path: root.appending(path: "Sources/\(floor)/\(name)"), uses: Set(uses))
        }
    }

    private static func swiftFiles(in folder: URL) throws -> [URL] {
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    private static func imports(of file: URL) throws -> [String] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let line =
            #/(?m)^(?:@\w+ )?(?:public |package |internal |private |fileprivate )?import (?:struct |class |enum |func )?(\w+)/#
        return text.matches(of: line).map { String($0.1) }
    }
}
