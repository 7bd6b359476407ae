import Glibc

/// How many passwords of a length obey rules: a sum over all ways to go on, character by character.
struct PasswordCount {
    private let length: Int
    private let longestRun: Int
    private let required: [Set<UInt8>]
    /// How many characters of the alphabet meet the same requirements, by the bits of those requirements.
    private let kinds: [(met: Int, size: Int)]

    init(_ rules: PasswordRules, length: Int) {
        (self.length, required) = (length, rules.required)
        longestRun = rules.maxConsecutive ?? length
        var sizes: [Int: Int] = [:]
        for character in rules.alphabet {
            let met = rules.required.enumerated().reduce(0) {
                $0 | ($1.element.contains(character) ? 1 << $1.offset : 0)
            }
            sizes[met, default: 0] += 1
        }
        kinds = sizes.map { (met: $0.key, size: $0.value) }.sorted { $0.met < $1.met }
    }

    /// The share of all texts of the alphabet that obey, from 0 to 1.
    var share: Double {
        let every = (1 << required.count) - 1
        let all = kinds.reduce(0) { $0 + $1.size }
        guard all > 0 else { return 0 }
        // States: the requirements met, the kind of the last character, and the length of its run. The numbers are
        // shares, which stay in range for every length.
        var states: [State: Double] = [State(met: 0, kind: -1, run: 0): 1]
        for _ in 0..<length { states = step(states, Double(all)) }
        return states.reduce(0) { $0 + ($1.key.met == every ? $1.value : 0) }
    }

    private struct State: Hashable {
        var met: Int
        var kind: Int
        var run: Int
    }

    private func step(_ states: [State: Double], _ all: Double) -> [State: Double] {
        var next: [State: Double] = [:]
        for (state, share) in states {
            for (index, kind) in kinds.enumerated() {
                let met = state.met | kind.met
                let isSame = index == state.kind
                if isSame, state.run < longestRun {
                    next[State(met: met, kind: index, run: runs(state.run + 1)), default: 0] += share / all
                }
                let others = Double(kind.size - (isSame ? 1 : 0))
                if others > 0 { next[State(met: met, kind: index, run: runs(1)), default: 0] += share * others / all }
            }
        }
        return next
    }

    /// Without a limit of its length a run need not be counted.
    private func runs(_ length: Int) -> Int { longestRun >= self.length ? 1 : length }

    /// The bits of a password that is chosen among all that obey, each as likely as another.
    func bits(alphabet: Int) -> Double { Double(length) * log2(Double(alphabet)) + log2(share) }
}
