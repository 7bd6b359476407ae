import Glibc
import LinuxSystem

/// The inputs of a target in one file, as they are kept in the repository: what fuzzing has found to reach other code
/// than the rest, and what has once been wrong.
///
///     corpus = *(length:u32 input)                     ; bit 31 of the length: the input was a finding, and stays
struct Corpus {
    /// Bytes of one input, and of a file with all of them: what is in the repository is tried with every change.
    private static let largest = 4096
    private static let room = 128 << 10

    private static let findingBit: UInt32 = 1 << 31

    struct Input {
        let bytes: [UInt8]
        let isFinding: Bool
    }

    var inputs: [Input] = []

    init(inputs: [Input]) { self.inputs = inputs }

    /// Takes a file apart; nil for one that is none.
    init?(_ bytes: [UInt8]) {
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 4 else { return nil }
            let head = bytes.span.littleEndian(UInt32.self, at: offset)
            let length = Int(head & ~Self.findingBit)
            guard length <= bytes.count - offset - 4 else { return nil }
            let input = Array(bytes[offset + 4..<offset + 4 + length])
            inputs.append(Input(bytes: input, isFinding: head & Self.findingBit != 0))
            offset += 4 + length
        }
    }

    /// The file: findings, then as many of the others as there is room for, the shortest first.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        let (findings, others) = (inputs.filter(\.isFinding), inputs.filter { !$0.isFinding })
        for input in findings + others.sorted(by: { $0.bytes.count < $1.bytes.count }) {
            let size = input.bytes.count
            guard size <= Self.largest, bytes.count + size + 4 <= Self.room else { continue }
            bytes += FuzzSeeds.le(UInt32(size) | (input.isFinding ? Self.findingBit : 0)) + input.bytes
        }
        return bytes
    }
}

/// The work of the program besides fuzzing, with its words:
///
///     --play FOLDER TARGET...      tries all inputs of the targets' corpora, TARGET.corpus in FOLDER; all targets
///                                  without TARGET
///     --seeds FOLDER TARGET        writes what fuzzing begins with, a file for each input
///     --pack FILE FOLDER           makes a corpus of the files of a folder; those named finding-… are findings
///     --list                       names all targets
///     --unpack FILE FOLDER         writes a corpus as files
package enum CorpusCommand {
    /// - Returns: the exit status; nil when the words are for somebody else.
    package static func run(_ words: [String]) -> CInt? {
        switch (words.first, words.count) {
        case ("--play", 2...): return play(words[1], words.dropFirst(2).compactMap(FuzzTarget.init(rawValue:)))
        case ("--list", 1): for target in FuzzTarget.allCases { print(target.rawValue) }
        case ("--seeds", 3):
            guard let target = FuzzTarget(rawValue: words[2]) else { return 2 }
            for (number, seed) in target.seeds.enumerated() { write(seed, "\(words[1])/seed-\(number)") }
        case ("--pack", 3):
            must("the corpus cannot be written") { () throws(SystemError) in
                try AtomicFile.replace(words[1], with: read(words[2]).encoded.span, mode: 0o644)
            }
        case ("--unpack", 3):
            guard let corpus = load(words[1]) else { return 1 }
            for (number, input) in corpus.inputs.enumerated() {
                write(input.bytes, "\(words[2])/\(input.isFinding ? findingMark : "")kept-\(number)")
            }
        default: return nil
        }
        return 0
    }

    /// The input that is being tried is named before, for a trap says nothing.
    private static func play(_ folder: String, _ targets: [FuzzTarget]) -> CInt {
        for target in targets.isEmpty ? FuzzTarget.allCases : targets {
            let path = "\(folder)/\(target.rawValue).corpus"
            guard let corpus = load(path) else { return 1 }
            for (number, input) in corpus.inputs.enumerated() {
                let name = "\(target.rawValue) \(number): "
                say(name)
                target.tryInput(input.bytes.span)
                say("\r" + String(repeating: " ", count: name.utf8.count) + "\r")
            }
            say("\(target.rawValue): \(corpus.inputs.count) inputs\n")
        }
        return 0
    }

    private static func say(_ text: String) {
        try? FileDescriptor.duplicate(STDERR_FILENO).writeFully(Array(text.utf8).span)
    }

    private static func load(_ path: String) -> Corpus? {
        guard let bytes = try? AtomicFile.read(path, limit: 1 << 24), let corpus = Corpus(bytes) else {
            say("\(path) is no corpus\n")
            return nil
        }
        return corpus
    }

    private static func write(_ input: [UInt8], _ path: String) {
        must("an input cannot be written") { () throws(SystemError) in
            try AtomicFile.replace(path, with: input.span, mode: 0o644)
        }
    }

    private static let findingMark = "finding-"

    private static func read(_ folder: String) -> Corpus {
        let inputs = FuzzFolder.names(in: folder).sorted().compactMap { name in
            (try? AtomicFile.read("\(folder)/\(name)", limit: 1 << 20)).map { bytes in
                Corpus.Input(bytes: bytes, isFinding: name.hasPrefix(findingMark))
            }
        }
        return Corpus(inputs: inputs)
    }
}
