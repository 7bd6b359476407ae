import KeychainModel
import LinuxSystem

/// The files that an anchored program has loaded. The rule for the program itself holds for them too: only root may
/// have put them there.
struct LoadedCode {
    var trusted = TrustedFiles.installedByRoot

    /// - Throws: `errSecMissingEntitlement` for code that somebody else can have put there; `errSecNotAvailable` when
    ///   the process cannot be looked at.
    func check(_ image: ProcessImage, of process: Int32, _ program: String) throws(Refusal) {
        let mappings: Set<ProcessImage.ExecutableMapping>
        do throws(SystemError) { mappings = try image.executableMappings() } catch {
            throw .unidentified(error, process: process)
        }
        for mapping in mappings {
            do throws(TrustedFiles.Doubt) { try check(mapping) } catch { throw .foreignCode(program, "\(error)") }
        }
    }

    private func check(_ mapping: ProcessImage.ExecutableMapping) throws(TrustedFiles.Doubt) {
        if mapping.isDeleted { return try checkFormer(mapping.path) }
        let found = try trusted.find(mapping.path)
        // Another file may have that name where the process sees it.
        guard found.status.inode == mapping.inode else {
            throw TrustedFiles.Doubt(description: "\(mapping.path) is another file here than in the process")
        }
    }

    /// A file that an update has replaced: only root could have put it into a folder that only root writes. Memory
    /// files seem to lie at the top, where no library does.
    private func checkFormer(_ path: String) throws(TrustedFiles.Doubt) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard !folder.isEmpty, SymbolicLink.resolve(folder) == folder else {
            throw TrustedFiles.Doubt(description: "\(path) is no file of a folder")
        }
        try trusted.check(folder: folder)
        guard let status = try? FileStatus(at: folder), !status.isWritableByOthers else {
            throw TrustedFiles.Doubt(description: "others may write \(folder)")
        }
    }
}
