import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import CodeSignature

@Suite("Teams, their keys and what they state")
struct TeamTests {
    @Test(
        "a Team ID follows from the key, and no other key has it",
        .rule("access-groups.team.identifier", "access-groups.team.chain"))
    func identifiers() throws {
        let (one, two) = (try Team(), try Team(.p256))
        #expect(one.id != two.id)
        #expect(try TeamID(of: one.key.publicKey) == one.id)
        #expect(one.id.text.utf8.count == 20)
        #expect(TeamID(text: one.id.text) == one.id)
        for text in ["", "ABC", one.id.text + "A", one.id.text.lowercased(), String(one.id.text.dropLast()) + "1"] {
            #expect(TeamID(text: text) == nil)
        }
        #expect(TeamID(ofGroup: one.id.text + ".a.b") == one.id)
        for group in [one.id.text, one.id.text + ".", "a.b", "." + one.id.text] {
            #expect(TeamID(ofGroup: group) == nil)
        }
    }

    @Test("A rotated key signs for the same team, and the old one still does")
    func rotation() throws {
        let (first, second, third) = (try Team(), try Team(.p256), try Team())
        let once = try first.chain.rotated(from: first.key, to: second.key.publicKey, issued: 1)
        let twice = try once.rotated(from: second.key, to: third.key.publicKey, issued: 2)
        #expect(twice.team == first.id)
        let signing = try CodeSigning(
            identifier: "app",
            plist: Plist.text("<key>keychain-access-groups</key>\(Plist.array(["\(first.id.text).x"]))"),
            signer: third.key, chain: twice)
        let signature = try #require(try read(signing.sign(Executables.bytes())))
        #expect(signature.team == first.id)
        #expect(signature.chain == twice)
        #expect(try read(first.sign(Executables.bytes()))?.team == first.id)
    }

    @Test(
        "a chain with a missing, foreign, exchanged or forged link leads nowhere",
        .rule("access-groups.team.identifier", "access-groups.team.chain"))
    func brokenChains() throws {
        let (first, second, third) = (try Team(), try Team(), try Team())
        let once = try first.chain.rotated(from: first.key, to: second.key.publicKey, issued: 1)
        let twice = try once.rotated(from: second.key, to: third.key.publicKey, issued: 2)
        let (one, two) = (twice.statements[0], twice.statements[1])
        let foreign = try second.chain.rotated(from: second.key, to: third.key.publicKey, issued: 2).statements[0]
        for links in [[one], [two], [two, one], [one, two, two], [one, one, two], [one, foreign]] {
            #expect(throws: Refusal.self) { try TeamChain(links, to: third.key.publicKey) }
        }
        // An attacker has only the new key and claims to be the old team.
        let forged = TeamStatement.Content.rotation(to: third.key.publicKey)
        #expect(throws: Refusal.self) {
            try TeamChain(
                [try TeamStatement.make(forged, by: third.key, chain: first.chain, issued: 1)], to: third.key.publicKey)
        }
        #expect(throws: Refusal.self) {
            let long = Array(repeating: one, count: TeamChain.mostStatements + 1)
            return try TeamChain(long, to: second.key.publicKey)
        }
    }

    @Test("A handover is verified with nothing but its file")
    func handover() throws {
        let (old, new, next) = (try Team(), try Team(), try Team(.p256))
        let (from, to) = ("\(old.id.text).notes", "\(new.id.text).notes")
        let content = TeamStatement.Content.handover(from: from, to: to)
        let statement = try TeamStatement.make(content, by: old.key, chain: old.chain, issued: 1_700_000_000)
        let read = try TeamStatement.verify(Array(statement.pem.utf8))
        #expect(read == statement)
        #expect(read.team == old.id && read.content == content && read.issued == 1_700_000_000)
        let rotated = try old.chain.rotated(from: old.key, to: next.key.publicKey, issued: 1)
        let later = try TeamStatement.make(content, by: next.key, chain: rotated, issued: 2)
        #expect(try TeamStatement.verify(Array(later.pem.utf8)).team == old.id)
    }

    @Test(
        "nobody hands over another team's group, nor with another's key, nor to a group of no team",
        .rule("access-groups.team.identifier", "access-groups.team.chain"))
    func wrongHandovers() throws {
        let (old, new) = (try Team(), try Team())
        let (from, to) = ("\(old.id.text).notes", "\(new.id.text).notes")
        let wrong: [(String, String, Team, TeamChain)] = [
            (from, to, new, new.chain), (from, to, new, old.chain), (to, from, old, old.chain),
            (from, from, old, old.chain), (from, "com.example", old, old.chain), (from, "*", old, old.chain),
            (from, to + " x", old, old.chain), (from, old.id.text, old, old.chain), ("notes", to, old, old.chain),
        ]
        for (from, to, team, chain) in wrong {
            let refused = failure { () throws(Refusal) in
                try TeamStatement.make(.handover(from: from, to: to), by: team.key, chain: chain, issued: 1)
            }
            #expect(refused != nil, "\(from) to \(to)")
        }
    }

    @Test("Every byte of a statement is missed when it is another, and a part of one is none")
    func alteredStatements() throws {
        let (old, new) = (try Team(), try Team(.p256))
        let content = TeamStatement.Content.handover(from: "\(new.id.text).a", to: "\(old.id.text).b")
        let chain = try new.chain.rotated(from: new.key, to: old.key.publicKey, issued: 1)
        let statement = try TeamStatement.make(content, by: old.key, chain: chain, issued: 7)
        for index in statement.encoded.indices {
            var changed = statement.encoded
            changed[index] ^= 0x10
            #expect(throws: Refusal.self, "byte \(index)") { try TeamStatement(verifying: changed) }
            #expect(throws: Refusal.self) { try TeamStatement(verifying: Array(statement.encoded.prefix(index))) }
        }
        #expect(throws: Refusal.self) { try TeamStatement(verifying: statement.encoded + [0]) }
        for text in ["", "-----BEGIN X-----\nAAAA\n-----END X-----\n", statement.pem + statement.pem] {
            #expect(throws: Refusal.self) { try TeamStatement.verify(Array(text.utf8)) }
        }
    }
}
