import Glibc

/// Control groups in the kernel's hierarchy (cgroups(7)).
package enum ControlGroup {
    /// The processes in a group and in its subgroups; nil when there is no such group, or when it exceeds the limit.
    ///
    /// - Parameters:
    ///   - folder: the group in a mounted hierarchy.
    ///   - limit: the maximum number of processes, and of groups.
    package static func processes(in folder: String, limit: Int) -> [Int32]? {
        var (folders, next, numbers) = ([folder], 0, [Int32]())
        while next < folders.count {
            guard let text = try? ProcessDirectory.read(folders[next] + "/cgroup.procs", limit: limit * 11),
                let names = try? FolderEntries.names(in: folders[next])
            else { return nil }
            numbers += String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { Int32($0) }
            let paths = names.map { "\(folders[next])/\($0)" }
            folders += paths.filter { (try? FileStatus(ofLink: $0))?.isDirectory == true }
            next += 1
            guard numbers.count <= limit, folders.count <= limit else { return nil }
        }
        return numbers
    }
}
