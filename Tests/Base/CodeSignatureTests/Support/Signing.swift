import Glibc
import KeychainModel
import LinuxSystem
import TestSupport

@testable import CodeSignature

/// A team with keys for one test.
struct Team {
    let key: TeamPrivateKey
    let chain: TeamChain

    var id: TeamID { chain.team }

    init(_ algorithm: TeamKeyAlgorithm = .ed25519) throws {
        key = try TeamPrivateKey.generate(algorithm)
        chain = try TeamChain([], to: key.publicKey)
    }

    /// Signs with entitlements that have the given groups; placeholders stay as they are.
    func sign(
        _ bytes: [UInt8], groups: [String]? = nil, identifier: String = "com.example.app"
    ) throws -> [UInt8] {
        let plist = groups.map { Plist.text(#"<key>keychain-access-groups</key>"# + Plist.array($0)) } ?? []
        return try sign(bytes, plist: plist, identifier: identifier)
    }

    func sign(_ bytes: [UInt8], plist: [UInt8], identifier: String = "com.example.app") throws -> [UInt8] {
        try CodeSigning(identifier: identifier, plist: plist, signer: key, chain: chain).sign(bytes)
    }
}

enum Plist {
    /// A whole property list whose root is a dictionary with this content.
    static func text(_ content: String) -> [UInt8] { whole("<dict>\(content)</dict>") }

    static func whole(_ root: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            \(root)
            </plist>

            """.utf8)
    }

    static func array(_ texts: [String]) -> String {
        "<array>" + texts.map { "<string>\($0)</string>" }.joined() + "</array>"
    }
}

extension CodeSigning {
    func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        try rewritten(bytes) { source, target throws(Refusal) in _ = try sign(source, to: target) }
    }

    static func removeSignature(from bytes: [UInt8]) throws -> [UInt8] {
        try rewritten(bytes) { source, target throws(Refusal) in try removeSignature(from: source, to: target) }
    }
}

private func rewritten(
    _ bytes: [UInt8], _ body: (FileDescriptor, FileDescriptor) throws(Refusal) -> Void
) throws -> [UInt8] {
    let target = try file([])
    try body(try file(bytes), target)
    return try target.read(at: 0, count: FileStatus(of: target).size)
}

/// The signature that the keychain reads from a file with these bytes.
func read(_ bytes: [UInt8]) throws -> CodeSignature? { try CodeSignature.read(from: try file(bytes)) }

/// The rule that refuses the file; nil when none does.
func refusal(_ bytes: [UInt8]) throws -> String? {
    let file = try file(bytes)
    return failure { () throws(Refusal) in try CodeSignature.read(from: file) }?.rule.rawValue
}

/// A file without a name.
func file(_ bytes: [UInt8]) throws -> FileDescriptor {
    // A replacement that is dropped loses its name.
    let file = try FileReplacement("/tmp/keychain-tests-file").file
    try file.writeFully(bytes.span)
    return file
}

extension FileDescriptor {
    /// Enlarges the file by a hole.
    func resize(to size: Int) throws {
        guard ftruncate(number, size) == 0 else { throw SystemError(code: errno, call: "ftruncate") }
    }
}
