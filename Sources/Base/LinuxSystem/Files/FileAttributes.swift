import CLinux
import Glibc

/// The name of an extended attribute (xattr(7)), which the kernel does not require to be text.
package struct FileAttributeName: Hashable, Sendable, CustomStringConvertible {
    /// With a zero at the end.
    let bytes: [CChar]

    init(_ bytes: some Sequence<CChar>) { self.bytes = Array(bytes) + [0] }

    /// Makes a name from text.
    package init(_ name: String) { self.init(name.utf8.map { CChar(bitPattern: $0) }) }

    package var description: String { String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) }
}

/// Extended attributes of an open file: its access list, its label, and those that users add.
extension FileDescriptor {
    /// The room that Linux allows for all names, and for one value, in bytes.
    private static let attributeRoom = 1 << 16

    /// The names of all attributes; none on a file system that has no attributes.
    ///
    /// - Throws: `SystemError` of `flistxattr`.
    package func attributeNames() throws(SystemError) -> [FileAttributeName] {
        var names = [CChar](repeating: 0, count: Self.attributeRoom)
        let count: Int
        do throws(SystemError) {
            count = try retrying("flistxattr") {
                unsafe names.withUnsafeMutableBufferPointer { room in
                    unsafe clinux_attribute_names(number, room.baseAddress, room.count)
                }
            }
        } catch {
            if error.code == ENOTSUP { return [] }
            throw error
        }
        return names[..<count].split(separator: 0).map(FileAttributeName.init)
    }

    /// The value of an attribute; nil when the file does not have it.
    ///
    /// - Throws: `SystemError` of `fgetxattr`.
    package func attribute(_ name: FileAttributeName) throws(SystemError) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: Self.attributeRoom)
        let count: Int
        do throws(SystemError) {
            count = try retrying("fgetxattr") {
                unsafe value.withUnsafeMutableBytes { room in
                    unsafe clinux_attribute(number, name.bytes, room.baseAddress, room.count)
                }
            }
        } catch {
            if error.code == ENODATA || error.code == ENOTSUP { return nil }
            throw error
        }
        return Array(value[..<count])
    }

    /// Sets an attribute.
    ///
    /// - Throws: `SystemError` of `fsetxattr`: `ENOTSUP`, `EPERM` and its kin.
    package func setAttribute(_ name: FileAttributeName, to value: [UInt8]) throws(SystemError) {
        _ = try retrying("fsetxattr") {
            unsafe value.withUnsafeBytes { value in
                unsafe clinux_set_attribute(number, name.bytes, value.baseAddress, value.count)
            }
        }
    }
}
