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
