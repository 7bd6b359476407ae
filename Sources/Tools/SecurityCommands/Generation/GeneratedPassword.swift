import Glibc
import LinuxSystem

/// A password that the kernel's generator has chosen, and how hard it is to guess.
struct GeneratedPassword {
    let bytes: SecretBytes
    /// The logarithm of the number of passwords that were as likely.
    let bits: Double

    /// The shape of macOS's passwords: three groups of six letters with dashes between them. The groups are syllables,
    /// one letter is a capital, and a digit stands at the border of a group.
    static func usual() -> GeneratedPassword {
        let (consonants, vowels) = (Array("bcdfghjkmnpqrstvwxz".utf8), Array("aeiouy".utf8))
        let letters = SecretBuffer(capacity: 32)
        for place in 0..<18 {
            let choices = place % 3 == 1 ? vowels : consonants
            letters.append(choices[Choice.below(choices.count)])
        }
        // Not the first place, where some websites want a letter.
        let borders = [5, 6, 11, 12, 17]
        let digit = borders[Choice.below(borders.count)]
        let capital = Choice.below(17)
        letters.withMutableSpan { span in
            span[capital < digit ? capital : capital + 1] -= 0x20
            span[digit] = UInt8(ascii: "0") + UInt8(Choice.below(10))
        }
        let bits = 11 * log2(19.0) + 6 * log2(6.0) + log2(10.0 * 5 * 17)
        return GeneratedPassword(bytes: letters.finish().inGroups(of: 6), bits: bits)
    }

    /// A password of a length that obeys rules. The whole password is chosen again until it does, so that each is as
    /// likely as another.
    ///
    /// - Throws: when hardly any password obeys.
    static func obeying(_ rules: PasswordRules, length: Int) throws(PasswordRules.Wrong) -> GeneratedPassword {
        let alphabet = rules.alphabet.sorted()
        let count = PasswordCount(rules, length: length)
        guard count.share > 1e-5 else {
            throw PasswordRules.Wrong(problem: "hardly any password of \(length) characters obeys these rules")
        }
        let letters = SecretBuffer(capacity: length)
        repeat {
            letters.removeAll()
            for _ in 0..<length { letters.append(alphabet[Choice.below(alphabet.count)]) }
        } while !letters.withSpan({ isObeying($0, rules) })
        return GeneratedPassword(bytes: letters.finish(), bits: count.bits(alphabet: alphabet.count))
    }

    /// Words of two syllables, such as `bodim`, with dashes between them. They are in no list, so they are no words.
    static func words(_ count: Int) -> GeneratedPassword {
        let (consonants, vowels) = (Array("bdfgklmnprstvz".utf8), Array("aeiou".utf8))
        let letters = SecretBuffer(capacity: count * 6)
        for word in 0..<count {
            if word > 0 { letters.append(UInt8(ascii: "-")) }
            for place in 0..<5 {
                let choices = place % 2 == 1 ? vowels : consonants
                letters.append(choices[Choice.below(choices.count)])
            }
        }
        let bits = Double(count) * (3 * log2(Double(consonants.count)) + 2 * log2(Double(vowels.count)))
        return GeneratedPassword(bytes: letters.finish(), bits: bits)
    }

    /// So many digits.
    static func pin(_ length: Int) -> GeneratedPassword {
        let digits = SecretBuffer(capacity: length)
        for _ in 0..<length { digits.append(UInt8(ascii: "0") + UInt8(Choice.below(10))) }
        return GeneratedPassword(bytes: digits.finish(), bits: Double(length) * log2(10.0))
    }

    /// Whether the bytes meet every requirement, and repeat no character too often.
    static func isObeying(_ bytes: Span<UInt8>, _ rules: PasswordRules) -> Bool {
        for wanted in rules.required where !bytes.indices.contains(where: { wanted.contains(bytes[$0]) }) {
            return false
        }
        var run = 0
        for index in bytes.indices {
            run = index > 0 && bytes[index] == bytes[index - 1] ? run + 1 : 1
            if let most = rules.maxConsecutive, run > most { return false }
        }
        return true
    }
}

/// Choices of the kernel's generator.
private enum Choice {
    /// A number below a bound of at most 256, each as likely as another: bytes that would favour some are thrown away.
    static func below(_ bound: Int) -> Int {
        let fair = 256 - 256 % bound
        let byte = SecretBytes(count: 1)
        while true {
            byte.withMutableSpan { Randomness.fill(&$0) }
            let number = Int(byte.withSpan { $0[0] })
            if number < fair { return number % bound }
        }
    }
}

extension SecretBytes {
    /// The bytes with a dash between groups.
    fileprivate func inGroups(of size: Int) -> SecretBytes {
        let grouped = SecretBuffer(capacity: count + count / size)
        withSpan { span in
            for index in span.indices {
                if index > 0, index % size == 0 { grouped.append(UInt8(ascii: "-")) }
                grouped.append(span[index])
            }
        }
        return grouped.finish()
    }
}
