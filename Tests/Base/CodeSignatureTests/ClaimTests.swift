import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import CodeSignature

@Suite("A name that a program claims is what stands in its section, or nothing")
struct ClaimTests {
    private static func claim(_ bytes: [UInt8]) throws -> CodeClaim? { try CodeClaim.read(from: try file(bytes)) }

    private static func content(_ text: String, zeros: Int = 0) -> CodeClaim {
        CodeClaim(content: Array(text.utf8) + [UInt8](repeating: 0, count: zeros))
    }

    /// An executable with a claim, and the index of its section's row.
    private func claiming(_ text: String) throws -> (AlteredFile, Int) {
        var bytes = try Executables.bytes()
        let altered = try AlteredFile(bytes)
        var names = altered.sections[altered.header.nameSection]
        let (start, size) = (Int(names.offset), Int(names.size))
        let (table, name) = (Array(bytes[start..<start + size]), UInt32(size))
        names.offset = UInt64(bytes.count)
        bytes += table + Array(".keychain.claim".utf8) + [0]
        names.size = UInt64(bytes.count) - names.offset
        let row = ELFSection(name: name, type: 1, offset: UInt64(bytes.count), size: text.utf8.count, alignment: 1)
        bytes += Array(text.utf8)
        var changed = try AlteredFile(bytes)
        changed.sections[changed.header.nameSection] = names
        changed.sections.append(row)
        return (changed, changed.sections.count - 1)
    }

    @Test(
        "A name has letters, digits, dots and hyphens, 1 to 64 of them",
        arguments: ["a", "org.example.app", "A-1.b", "7", String(repeating: "x", count: 64)])
    func names(name: String) {
        #expect(Self.content(name) == .name(name))
        // The zeros are a C string's end and a linker's padding.
        #expect(Self.content(name, zeros: 1) == .name(name) && Self.content(name, zeros: 7) == .name(name))
    }

    @Test(
        "What has anything else in it is no name",
        arguments: [
            "", "\0", "\0org", ".org", "org.", "-a", "a-", "a b", "a/b", "a\0b", "a\0\0\u{1}", "ä", "a_b", "a:b",
            "\u{212A}elvin", "a\n", "*", "..", String(repeating: "x", count: 65),
        ])
    func noNames(text: String) {
        guard case .malformed = Self.content(text) else { return #expect(Bool(false), "\(text)") }
    }

    @Test("An executable without the section claims nothing, and neither does a file that is none")
    func absent() throws {
        #expect(try Self.claim(try Executables.bytes()) == nil)
        for bytes in [[], Array("#!/bin/sh\n".utf8), [0x7F, 0x45, 0x4C, 0x46]] as [[UInt8]] {
            #expect(try Self.claim(bytes) == nil)
        }
    }

    @Test("A section is read wherever it lies, and one that is not a claim says so without a refusal")
    func sections() throws {
        let (altered, row) = try claiming("org.example.app")
        #expect(try Self.claim(altered.withSections { _ in }) == .name("org.example.app"))
        func expectMalformed(_ what: String, _ change: (inout [ELFSection]) -> Void) throws {
            guard case .malformed? = try Self.claim(altered.withSections(change)) else {
                return #expect(Bool(false), "\(what)")
            }
        }
        try expectMalformed("two sections") { $0.append($0[row]) }
        try expectMalformed("empty") { $0[row].size = 0 }
        try expectMalformed("without bytes") { $0[row].type = ELFSection.noBits }
        for size: UInt64 in [257, 1 << 20, 1 << 40, .max] {
            try expectMalformed("of \(size) bytes") { $0[row].size = size }
        }
        for offset: UInt64 in [1 << 40, .max, .max - 3, UInt64(altered.bytes.count) + (1 << 20)] {
            try expectMalformed("at \(offset)") { $0[row].offset = offset }
        }
    }

    @Test("Names of sections that are not there, or too many, hide a claim and refuse nothing")
    func namesOfSections() throws {
        let (altered, row) = try claiming("org.example.app")
        let names = altered.header.nameSection
        let changes: [(inout [ELFSection]) -> Void] = [
            { $0[names].size = 2 << 20 }, { $0[names].offset = .max }, { $0[names].type = ELFSection.noBits },
            { $0[names].size = UInt64($0[row].name) + 5 }, { $0[row].name = .max }, { $0.removeAll() },
        ]
        for change in changes { #expect(try Self.claim(altered.withSections(change)) == nil) }
    }

    @Test("A file that is cut off anywhere is read or is not, and nothing else happens")
    func truncated() throws {
        let bytes = try claiming("org.example.app").0.withSections { _ in }
        for count in stride(from: 0, to: bytes.count, by: 61) {
            if case .name(let name)? = try Self.claim(Array(bytes.prefix(count))) { #expect(name == "org.example.app") }
        }
    }

    @Test("Of 2,000 random alterations none crashes the reader, and what is read is a name")
    func mutations() throws {
        let bytes = try claiming("org.example.app").0.withSections { _ in }
        var (random, read) = (SplitMix64(seed: 7), 0)
        for _ in 0..<2000 {
            guard case .name(let name)? = try Self.claim(random.mutate(bytes)) else { continue }
            read += 1
            #expect(AccessGroup.isClaimName(Array(name.utf8)))
        }
        #expect(read > 10)
    }

    @Test("No entitlement has a group that programs claim, neither a signed one nor one of root's")
    func entitlements() throws {
        let plist = Plist.text(#"<key>keychain-access-groups</key>"# + Plist.array(["claimed:org.example.app"]))
        let installed = failure { () throws(Refusal) in try Entitlements(plist: plist) }
        #expect(installed?.rule == .malformedEntitlements && installed?.problem.contains("can claim it") == true)
        let team = try Team()
        let signed = failure { () throws(Refusal) in
            try Entitlements(plist: plist, team: team.id, identifier: "org.example.app")
        }
        #expect(signed?.rule == .malformedEntitlements)
    }

    @Test("No entitlement has what an application in a sandbox gives to the bridge to the desktop")
    func sandboxes() throws {
        for group in ["secret-service:flatpak:org.example.App", "secret-service:"] {
            let plist = Plist.text(#"<key>keychain-access-groups</key>"# + Plist.array([group]))
            let installed = failure { () throws(Refusal) in try Entitlements(plist: plist) }
            #expect(installed?.rule == .malformedEntitlements && installed?.subject == group)
        }
    }
}
