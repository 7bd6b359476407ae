import CodeSignature
import CommandOptions
import KeychainModel
import LinuxSystem
import PropertyLists
import SecurityCommands

/// `codesign -s`, `codesign --remove-signature`.
enum SignFiles {
    static func sign(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let key = try TeamKeyReference(arguments, "s").load(session, arguments)
        let plist = try entitlements(arguments)
        var failed = false
        for name in arguments.operands.map(\.text) {
            do throws(CommandFailure) { try sign(name, key, plist, arguments, session) } catch {
                session.report(error)
                failed = true
            }
        }
        if failed { throw .shown }
    }

    private static func entitlements(_ arguments: ParsedArguments) throws(CommandFailure) -> [UInt8] {
        guard let path = arguments.value("e")?.text else { return [] }
        do throws(SystemError) { return try AtomicFile.read(path, limit: PropertyList.mostBytes) } catch {
            throw CommandFailure(path, error)
        }
    }

    private static func sign(
        _ name: String, _ key: TeamKey, _ plist: [UInt8], _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        let file = try SignedFile(name)
        let wasSigned = (try? file.signature().get()) != .some(nil)
        guard !wasSigned || arguments.has("f") else {
            throw .failed("\(name): is already signed. Give -f to replace the signature.")
        }
        if wasSigned, arguments.has("v") { session.complain("\(name): replacing existing signature") }
        let identifier = arguments.value("i")?.text ?? fileName(name)
        try file.replace(session) { source, target throws(Refusal) in
            let signing = try CodeSigning(identifier: identifier, plist: plist, signer: key.signer, chain: key.chain)
            _ = try signing.sign(source, to: target)
        }
        warn(file, session)
        if arguments.has("v") { session.complain("\(name): signed [\(identifier)] by \(key.chain.team.text)") }
    }

    static func removeSignatures(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        for name in arguments.operands.map(\.text) {
            let file = try SignedFile(name)
            if case .success(nil) = file.signature() { throw .failed("\(name): code object is not signed at all") }
            try file.replace(session) { source, target throws(Refusal) in
                try CodeSigning.removeSignature(from: source, to: target)
            }
        }
    }

    private static func fileName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Says what the signature does not give, though somebody may think so.
    private static func warn(_ file: SignedFile, _ session: Session) {
        if Interpreters.contain(fileName(file.path)) {
            session.complain(
                "\(file.name): is an interpreter: every script that it runs will have its access groups. Sign a "
                    + "program of your own instead, or let root install entitlements for the script "
                    + "(docs/security/identity.md)")
        }
        if let bytes = try? CodeSigning.uncoveredBytes(at: file.file), bytes > 0 {
            session.complain(
                "\(file.name): the signature does not cover the \(bytes) bytes behind the program's sections")
        }
    }
}

/// Programs that run whatever they are given.
enum Interpreters {
    private static let names: Set<String> = [
        "python", "pypy", "bash", "sh", "dash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox", "node",
        "nodejs",
        "deno", "bun", "qjs", "perl", "ruby", "php", "php-cgi", "lua", "luajit", "tclsh", "wish", "expect", "guile",
        "java", "mono", "dotnet", "swift", "swift-frontend", "R", "Rscript", "julia", "erl", "awk", "gawk", "mawk",
        "sed",
        "gdb", "lldb", "emacs", "vim", "ld.so", "ld-linux-x86-64.so", "qemu-x86_64", "qemu-aarch64", "wine",
    ]

    /// Whether a file of this name is one, whatever version stands behind it: `python3.13`.
    static func contain(_ name: String) -> Bool {
        let stem = name.reversed().drop { $0.isNumber || $0 == "." || $0 == "-" }.reversed()
        return names.contains(name) || names.contains(String(stem))
    }
}
