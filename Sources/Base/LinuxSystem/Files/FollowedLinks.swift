import Glibc

/// The symbolic links on the way from a name to a file (path_resolution(7)).
package struct FollowedLinks: Sendable {
    /// The path without links; nil behind a link of `/proc/PID`, which leads to an open file and not to a path.
    package let path: String?
    /// The paths of the links, in the order in which they are followed.
    package let links: [String]

    /// As many as the kernel follows.
    private static let mostLinks = 40
    private static let slash = UInt8(ascii: "/")

    /// Follows a name as the kernel does. Its last part need not exist.
    ///
    /// - Throws: `SystemError` of `lstat` or `readlink`; `ELOOP` for too many links.
    package init(_ name: String) throws(SystemError) {
        var path = name.utf8.first == Self.slash ? "" : try SymbolicLink.read("/proc/self/cwd")
        var (links, rest) = ([String](), Self.parts(of: name))
        while let part = rest.popLast() {
            let entry = "\(path)/\(part)"
            if part == "." { continue }
            if part == ".." {
                path = Self.parent(of: path)
            } else if try FileStatus(ofLink: entry)?.isSymbolicLink != true {
                path = entry
            } else {
                guard links.count < Self.mostLinks else { throw SystemError(code: ELOOP, call: "open", advice: name) }
                links.append(entry)
                if path.hasPrefix("/proc/") {
                    (self.path, self.links) = (nil, links)
                    return
                }
                let target = try SymbolicLink.read(entry)
                if target.utf8.first == Self.slash { path = "" }
                rest += Self.parts(of: target)
            }
        }
        (self.path, self.links) = (path.isEmpty ? "/" : path, links)
    }

    /// The parts between slashes, the last one first.
    private static func parts(of path: String) -> [String] {
        path.utf8.split(separator: slash).reversed().map { String(decoding: $0, as: UTF8.self) }
    }

    private static func parent(of path: String) -> String {
        let parent = PrivateDirectory.parent(of: path) ?? ""
        return parent == "/" ? "" : parent
    }
}
