import Glibc
import LinuxSystem

/// Marks programs and takes the mark away, with the group that marks them.
struct Anchor {
    let group: UInt32
    /// Whether a program may be anchored that seems to start others.
    var mayStartOthers = false

    /// Why a program is left as it is, and what to do.
    struct Objection: Error {
        let problem: String
        let remedy: String
    }

    func put(on path: String) throws(Objection) {
        let (file, status) = try open(path)
        if isMarked(status) { return }
        try check(file, status, path)
        // A change of group takes the bit away, so it comes last.
        try change(path) {
            fchown(file.number, .max, group) == 0 && fchmod(file.number, status.mode & 0o7777 | S_ISGID | S_IXGRP) == 0
        }
    }

    func remove(from path: String) throws(Objection) {
        let (file, status) = try open(path)
        guard isMarked(status) else {
            throw Objection(problem: "it is not anchored", remedy: "See security anchor --list.")
        }
        try change(path) {
            fchmod(file.number, status.mode & 0o7777 & ~S_ISGID) == 0 && fchown(file.number, .max, 0) == 0
        }
    }

    private func isMarked(_ status: FileStatus) -> Bool {
        status.isRegularFile && status.owner == 0 && status.group == group && status.setsGroup
            && !status.isWritableByOthers
    }

    private func change(_ path: String, _ body: () -> Bool) throws(Objection) {
        guard !body() else { return }
        let error = SystemError(code: errno, call: "fchmod")
        throw Objection(problem: "\(error)", remedy: "Mount its file system for writing.")
    }
}

// MARK: - What can be anchored

extension Anchor {
    /// Opens a file that nobody but root can have put there.
    private func open(_ path: String) throws(Objection) -> (FileDescriptor, FileStatus) {
        do throws(TrustedFiles.Doubt) {
            let found = try TrustedFiles.installedByRoot.find(path)
            if let file = try? FileDescriptor.open(found.path, O_RDONLY | O_NOFOLLOW),
                let status = try? FileStatus(of: file), status.isSameFile(as: found.status)
            {
                return (file, status)
            }
            throw TrustedFiles.Doubt(description: "\(path) cannot be opened")
        } catch {
            throw Objection(
                problem: error.description, remedy: "Install it where only root can write: program and folders.")
        }
    }

    private func check(_ file: FileDescriptor, _ status: FileStatus, _ path: String) throws(Objection) {
        if status.mode & (S_ISUID | S_ISGID) != 0 {
            throw Objection(problem: "it has a set-user-ID or set-group-ID bit already", remedy: "Leave it as it is.")
        }
        if (try? FileSystem(of: file).ignoresSetID) != false {
            throw Objection(
                problem: "its file system is mounted nosuid",
                remedy: "Install it elsewhere, or mount it without nosuid.")
        }
        guard let content = try? AtomicFile.read("/proc/self/fd/\(file.number)", limit: Self.largest) else {
            throw Objection(problem: "it is too large to look at", remedy: "Programs have less than 1 GiB.")
        }
        guard content.starts(with: [0x7F] + Array("ELF".utf8)) else {
            throw Objection(
                problem: "it is a script or no program",
                remedy: "An interpreter runs whatever it is given: entitle the script instead "
                    + "(docs/security/identity.md).")
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if Self.isInterpreter(name) {
            throw Objection(
                problem: "it is an interpreter", remedy: "It would carry its anchor into everything it is told to run.")
        }
        try checkLoaded(path)
        if !mayStartOthers, let call = Self.startingCall(in: content) {
            throw Objection(
                problem: "it seems to start other programs (\(call)), which would inherit the marker group",
                remedy: "Anchor it with --force if those give the group up, or run nothing of the user's.")
        }
    }

    /// A user who can put a library into the program controls it.
    private func checkLoaded(_ path: String) throws(Objection) {
        var loaded = LoadedFiles(listed: LoaderList.read())
        do throws(LoadedFiles.Doubt) { try loaded.check(SymbolicLink.resolve(path) ?? path) } catch {
            throw Objection(
                problem: error.description,
                remedy: "Have all that it loads where only root can write, and no run path anywhere else "
                    + "(readelf -d shows it)."
            )
        }
    }

    private static let largest = 1 << 30

    /// Names that, alone or with a version behind them, are programs that run what they are given.
    private static let interpreters = [
        "python", "perl", "ruby", "node", "nodejs", "bash", "sh", "dash", "zsh", "fish", "ksh", "mksh", "csh", "tcsh",
        "lua",
        "luajit", "php", "java", "guile", "tclsh", "wish", "R", "Rscript", "julia", "gdb", "lldb", "env", "xargs",
        "awk",
        "gawk", "mawk", "busybox", "emacs", "vim", "deno", "bun", "pwsh", "mono", "dotnet", "wine", "qemu",
    ]

    static func isInterpreter(_ name: String) -> Bool {
        if name.hasPrefix("ld-linux") || name.hasPrefix("ld.so") || name.hasPrefix("qemu-") { return true }
        let version = name.reversed().prefix { $0.isNumber || $0 == "." || $0 == "-" }.count
        return interpreters.contains(String(name.dropLast(version)))
    }

    /// Functions that start programs, as an executable that uses a library's names them.
    private static let startingCalls: Set<String> = [
        "execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "execveat", "posix_spawn",
        "posix_spawnp", "system", "popen",
    ]

    /// The first of those that is a word of its own in the file, between two zero bytes.
    static func startingCall(in content: [UInt8]) -> String? {
        let longest = 12
        var start = 0
        for (index, byte) in content.enumerated() where byte == 0 {
            defer { start = index + 1 }
            guard index - start >= 5, index - start <= longest else { continue }
            let word = String(decoding: content[start..<index], as: UTF8.self)
            if startingCalls.contains(word) { return word }
        }
        return nil
    }
}

// MARK: - What is anchored

extension Anchor {
    static let usualFolders = [
        "/usr/bin", "/usr/sbin", "/usr/games", "/usr/libexec", "/usr/lib", "/usr/local", "/opt",
    ]

    /// The anchored programs below folders, in order.
    static func programs(in folders: [String], group: UInt32) -> [String] {
        folders.flatMap { programs(below: $0, Anchor(group: group), depth: 12) }.sorted()
    }

    private static func programs(below folder: String, _ anchor: Anchor, depth: Int) -> [String] {
        guard depth > 0, let names = try? FolderEntries.names(in: folder) else { return [] }
        return names.flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            guard let status = try? FileStatus(ofLink: path) else { return [] }
            if status.isDirectory { return programs(below: path, anchor, depth: depth - 1) }
            return anchor.isMarked(status) ? [path] : []
        }
    }
}
