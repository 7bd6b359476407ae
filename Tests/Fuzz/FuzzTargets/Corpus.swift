import Glibc
import LinuxSystem

/// The inputs of a target in one file, as they are kept in the repository: what fuzzing has found to reach other code than the rest,
/// and what has once been wrong.
///
///     corpus = *(length:u32 input)
struct Corpus {
    private static let largest = 4096

    var inputs: [[UInt8]] = []

    init(inputs: [[UInt8]]) { self.inputs = inputs }

    /// Takes a file apart; nil for one that is none.
    init?(_ bytes: [UInt8]) {
        var offset = 0
        while offset < bytes.count {
            guard bytes.count - offset >= 4 else { return nil }
            let length = Int(bytes.span.littleEndian(UInt32.self, at: offset))
            guard length <= bytes.count - offset - 4 else { return nil }
            inputs.append(Array(bytes[offset + 4..<offset + 4 + length]))
            offset += 4 + length
        }
    }

    /// The file, without what is too long to be kept.
    var encoded: [UInt8] {
        inputs.filter { $0.count <= Self.largest }.flatMap { FuzzSeeds.le(UInt32($0.count)) + $0 }
    }
}

/// What the program does beside fuzzing, with its words:
///
///     --play FOLDER TARGET...      tries all inputs of the targets' corpora, TARGET.corpus in FOLDER; without targets, of all
///     --seeds FOLDER TARGET        writes what fuzzing begins with, a file for each input
///     --pack FILE FOLDER           makes a corpus of the files of a folder, in the order of their names
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
            write(target.seeds, to: words[1], "seed")
        case ("--pack", 3):
            must("the corpus cannot be written") { () throws(SystemError) in
                try AtomicFile.replace(words[1], with: read(words[2]).encoded.span, mode: 0o644)
            }
        case ("--unpack", 3):
            guard let corpus = load(words[1]) else { return 1 }
            write(corpus.inputs, to: words[2], "kept")
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
                target.tryInput(input.span)
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

    private static func write(_ inputs: [[UInt8]], to folder: String, _ name: String) {
        for (number, input) in inputs.enumerated() {
            must("an input cannot be written") { () throws(SystemError) in
                try AtomicFile.replace("\(folder)/\(name)-\(number)", with: input.span, mode: 0o644)
            }
        }
    }

    private static func read(_ folder: String) -> Corpus {
        let names = FuzzFolder.names(in: folder).sorted()
        return Corpus(inputs: names.compactMap { try? AtomicFile.read("\(folder)/\($0)", limit: 1 << 20) })
    }
}
