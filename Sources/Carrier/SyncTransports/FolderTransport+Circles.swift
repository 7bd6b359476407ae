import LinuxSystem
package import SyncFormat

extension FolderTransport {
    /// So many circles of a folder are looked at: one, in a folder of a user's own.
    private static let circles = 16

    /// The circles that a folder has.
    ///
    /// - Throws: ``TransportProblem``.
    package static func circles(in folder: String) throws(TransportProblem) -> [CircleID] {
        do throws(SystemError) {
            let root = try HeldFolder(folder)
            let names = try root.names(atMost: TransportLimits.names).sorted()
            return Array(names.compactMap { circle($0, in: root) }.prefix(circles))
        } catch { throw .system(error) }
    }

    /// The circle of a folder's name, if it has logs.
    private static func circle(_ name: String, in root: HeldFolder) -> CircleID? {
        guard let slot = try? SyncSlot("\(name)/log/\(name)/\(String(repeating: "0", count: 15))1"),
            let folder = try? root.folder(name), (try? folder.folder("log")) ?? nil != nil
        else { return nil }
        return slot.circle
    }
}
