import Foundation
import ProtectedFiles
import Security

/// Notes of any size in protected files: they are on the disk encrypted, for this program's access group, and closed
/// while the device is locked.
public struct ProtectedNotes: Sendable {
    private let folder: URL
    private let options: ProtectedFile.Options

    /// The notes in a folder. All of them belong to one shelf, `security file delete-shelf` of which destroys them.
    public init(folder: URL) {
        self.folder = folder
        var options = ProtectedFile.Options(.complete)
        options.shelf = "notes"
        options.isThisDeviceOnly = true
        self.options = options
    }

    /// Writes a note, or replaces it as a whole.
    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name), protection: options)
    }

    /// Reads a note; nil while the device is locked.
    public func read(_ name: String) throws -> String? {
        do throws(SecItemError) {
            return String(decoding: try Data(contentsOfProtected: folder.appending(path: name)), as: UTF8.self)
        } catch {
            if error.status == errSecInteractionNotAllowed { return nil }
            throw error
        }
    }

    /// Takes over a large file that is not protected yet, such as a download. Its owner and permissions stay.
    public func protect(_ file: URL) throws { try ProtectedFile.setProtection(options, of: file) }

    /// The bytes of a protected file, in constant memory.
    public func size(of file: URL) async throws -> Int {
        var size = 0
        for try await part in try ProtectedFile.Reader(readingFrom: file).parts() { size += part.count }
        return size
    }
}
