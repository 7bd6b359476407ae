import Foundation

/// Code as it is on iOS: it knows nothing of Linux, and protects its files by Foundation's means alone.
final class NoteStore {
    let directory: URL
    init(directory: URL) { self.directory = directory }

    func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

    func save(_ text: String, as name: String) throws {
        try text.data(using: .utf8)!.write(to: url(name), options: [.atomic, .completeFileProtection])
    }

    func load(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: url(name)), as: UTF8.self)
    }

    func rewrite(_ text: String, as name: String) throws {
        try text.write(to: url(name), atomically: true, encoding: .utf8)
    }

    func protect(_ name: String, _ type: FileProtectionType) throws {
        try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: url(name).path)
    }

    func create(_ name: String, _ text: String) -> Bool {
        FileManager.default.createFile(
            atPath: url(name).path, contents: Data(text.utf8),
            attributes: [.protectionKey: FileProtectionType.completeUnlessOpen])
    }

    func describe(_ name: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: url(name).path)
        let type = (attributes[.protectionKey] as? FileProtectionType)?.rawValue ?? "no protection"
        return "\(type) \((attributes[.size] as? NSNumber)?.intValue ?? -1)"
    }
}
