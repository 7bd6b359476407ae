import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import CodeSignature

@Suite("Signing and verifying executables")
struct SigningTests {
    @Test(
        "executables of every machine are signed and verified", .rule("access-groups.team.content"),
        arguments: Executables.targets)
    func machines(target: String) throws {
        for algorithm in TeamKeyAlgorithm.allCases {
            let (team, bytes) = (try Team(algorithm), try Executables.bytes(for: target))
            let signed = try team.sign(bytes, groups: ["$(AppIdentifierPrefix)com.example.shared"])
            let signature = try #require(try read(signed))
            #expect(signature.identifier == "com.example.app")
            #expect(signature.team == team.id)
            #expect(
                signature.entitlements.groups == [
                    "\(team.id.text).com.example.shared", "\(team.id.text).com.example.app",
                ])
            #expect(signature.key == team.key.publicKey)
        }
    }

    @Test("An executable without a note, a text and an empty file are not signed")
    func unsigned() throws {
        #expect(try read(Executables.bytes()) == nil)
        #expect(try read(Array("#!/bin/sh\n".utf8)) == nil)
        #expect(try read([]) == nil)
    }

    @Test("Signing leaves program headers and loaded bytes as they were", arguments: Executables.targets)
    func loadedBytes(target: String) throws {
        let bytes = try Executables.bytes(for: target)
        let signed = try Team().sign(bytes)
        let (before, after) = (try #require(try ELFFile(file(bytes))), try #require(try ELFFile(file(signed))))
        #expect(try before.segmentTable() == after.segmentTable())
        #expect(try CodeDigest.of(before) == CodeDigest.of(after))
        for segment in before.segments(try before.segmentTable()) {
            let range = Int(segment.offset)..<Int(segment.offset + segment.size)
            let same = bytes[range].indices.filter { bytes[$0] != signed[$0] }
            // Only the header's fields about sections may differ.
            #expect(same.allSatisfy { index in before.header.sectionFields.contains { $0.contains(index) } })
        }
    }

    @Test("Signing again replaces the signature, and the file does not grow")
    func again() throws {
        let (first, second) = (try Team(), try Team())
        let once = try first.sign(Executables.bytes())
        let twice = try second.sign(once)
        #expect(try read(twice)?.team == second.id)
        #expect(twice.count == once.count)
        #expect(try first.sign(twice).count == once.count)
    }

    @Test("A removed signature leaves a file that is not signed and can be signed again")
    func removal() throws {
        let team = try Team()
        let signed = try team.sign(Executables.bytes())
        let removed = try CodeSigning.removeSignature(from: signed)
        #expect(try read(removed) == nil)
        #expect(removed.count < signed.count)
        #expect(try team.sign(removed) == signed || team.sign(removed).count == signed.count)
        #expect(try CodeSigning.removeSignature(from: removed) == removed)
    }

    @Test("what was signed with another key, or for another file, is refused", .rule("access-groups.team.chain"))
    func exchanged() throws {
        let (team, bytes) = (try Team(), try Executables.bytes())
        let signed = try team.sign(bytes)
        var other = bytes
        other[try #require(bytes.firstRange(of: Array("a text of its own".utf8))).lowerBound] = UInt8(ascii: "A")
        let elf = try #require(try ELFFile(file(signed)))
        let note = SignatureSection.encode(try #require(try elf.signatureDescriptor()), elf.format)
        let target = try file([])
        try #require(try ELFFile(file(other))).rewrite(to: target, signature: note)
        #expect(failure { () throws(Refusal) in try CodeSignature.read(from: target) }?.rule == .changedCode)
    }

    @Test("Only ELF files can be signed")
    func scripts() throws {
        #expect(throws: Refusal.self) { try Team().sign(Array("#!/bin/sh\n".utf8)) }
    }
}
