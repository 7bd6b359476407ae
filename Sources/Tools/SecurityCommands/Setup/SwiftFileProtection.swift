/// The file that gives Foundation's functions, in one target, the protection of files that they ignore on Linux. Swift
/// prefers the functions of a target to those of the modules that it imports.
enum SwiftFileProtection {
    static let fileName = "FileProtection.swift"

    /// The words of Foundation that protect files on Apple's systems.
    static let words: Set = [
        "completeFileProtection", "completeFileProtectionUnlessOpen",
        "completeFileProtectionUntilFirstUserAuthentication", "noFileProtection", "protectionKey",
        "FileProtectionType", "NSFileProtectionKey",
    ]

    /// The change in a target's folder; a file that somebody else wrote, or has changed, stays as it is.
    ///
    /// - Parameter adds: whether the file is to be there; else it stays as it is.
    /// - Throws: ``CommandFailure`` for one that cannot be read.
    static func change(in folder: String, adds: Bool, undoes: Bool) throws(CommandFailure) -> FileChange {
        let path = "\(folder)/\(fileName)"
        let before = try FileChange.read(path)
        if undoes { return FileChange(path: path, before: before, after: before == text ? nil : before) }
        return FileChange(path: path, before: before, after: adds ? before ?? text : before)
    }

    /// Whether the target in a folder has the file.
    ///
    /// - Throws: ``CommandFailure`` for one that cannot be read.
    static func isThere(in folder: String) throws(CommandFailure) -> Bool {
        try FileChange.read("\(folder)/\(fileName)") == text
    }

    static let text = """
        // Foundation on Linux ignores the protection of files. In this target these functions take the place of its
        // own: files are encrypted with keys of the keychain. The target depends on the product ProtectedFiles of
        // swift-keychain. Other targets, and functions that are not here, read and write the bytes on the disk.
        #if os(Linux)
            import Foundation
            import ProtectedFiles

            extension Data {
                func write(to url: URL, options: Data.WritingOptions = []) throws {
                    try ProtectedFoundation.write(self, to: url, options: options)
                }

                init(contentsOf url: __shared URL, options: Data.ReadingOptions = []) throws {
                    self = try ProtectedFoundation.read(contentsOf: url, options: options)
                }
            }

            extension String {
                func write(to url: URL, atomically: Bool, encoding: String.Encoding) throws {
                    try ProtectedFoundation.write(self, to: url, atomically: atomically, encoding: encoding)
                }
            }

            extension FileManager {
                func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath path: String) throws {
                    try ProtectedFoundation.setAttributes(attributes, ofItemAtPath: path, by: self)
                }

                func attributesOfItem(atPath path: String) throws -> [FileAttributeKey: Any] {
                    try ProtectedFoundation.attributesOfItem(atPath: path, by: self)
                }

                @discardableResult
                func createFile(
                    atPath path: String, contents: Data?, attributes: [FileAttributeKey: Any]? = nil
                ) -> Bool {
                    ProtectedFoundation.createFile(
                        atPath: path, contents: contents, attributes: attributes, by: self)
                }
            }
        #endif

        """
}
