// For the tests that lock the keychain under open files: a program that does what its lines say, and answers each with
// one line: `ok`, a value, or the status and the rule of a refusal.
//
//     make CLASS PATH      writes a protected file
//     open NAME PATH       opens one, which keeps the name
//     read NAME            reads its last bytes
//     many COUNT PATH      opens one that many times more, without a name; how many it was when one is refused
//     all                  reads each of those, and counts the answers
//     fewer COUNT          closes some of those
//     begin NAME CLASS PATH, write NAME, close NAME
//     info PATH, move CLASS PATH, see PATH
//     available            whether protected data is
//     told                 the last notification about that

import Foundation
import ProtectedFiles
import Security

let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
let classes: [String: ProtectedFile.Protection] = [
    "a": .complete, "b": .completeUnlessOpen, "c": .completeUntilFirstUserAuthentication, "d": .none,
]

/// The notifications arrive on a thread of their own.
final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var last = "nothing"

    var text: String {
        get { lock.withLock { last } }
        set { lock.withLock { last = newValue } }
    }
}

let told = Told()
var observers: [Any] = []

@MainActor func observe() {
    let names = [
        (ProtectedData.protectedDataWillBecomeUnavailableNotification, "unavailable"),
        (ProtectedData.protectedDataDidBecomeAvailableNotification, "available"),
    ]
    for (name, text) in names {
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in told.text = text })
    }
}

var readers: [String: ProtectedFile.Reader] = [:]
var writers: [String: ProtectedFile.Writer] = [:]
var nameless: [ProtectedFile.Reader] = []

func options(_ name: String) -> ProtectedFile.Options { .init(classes[name] ?? .none) }
func url(_ path: String) -> URL { URL(filePath: path) }

func answer(_ error: any Error) -> String {
    let error = error as? SecItemError
    return "\(error?.status ?? 0) \(error?.rule ?? "")"
}

func lastBytes(_ reader: ProtectedFile.Reader?) throws -> String {
    try reader?.read(at: 150_000, count: 100_000) == content[150_000...] ? "ok" : "other content"
}

@MainActor func open(_ count: Int, _ path: String) -> String {
    for number in 0..<count {
        do { nameless.append(try .init(readingFrom: url(path))) } catch { return "\(number) and \(answer(error))" }
    }
    return "ok"
}

@MainActor func readAll() -> String {
    var counts: [String: Int] = [:]
    for reader in nameless {
        let found: String
        do { found = try lastBytes(reader) } catch { found = answer(error) }
        counts[found, default: 0] += 1
    }
    return counts.map { "\($0.value) \($0.key)" }.sorted().joined(separator: ", ")
}

@MainActor func obey(_ words: [String]) throws -> String {
    switch words[0] {
    case "make": try content.write(to: url(words[2]), protection: options(words[1]))
    case "open": readers[words[1]] = try .init(readingFrom: url(words[2]))
    case "read": return try lastBytes(readers[words[1]])
    case "many": return open(Int(words[1]) ?? 0, words[2])
    case "all": return readAll()
    case "fewer": nameless.removeLast(Int(words[1]) ?? 0)
    case "begin": writers[words[1]] = try .init(writingTo: url(words[3]), options(words[2]))
    case "write": try writers[words[1]]?.write(content.prefix(100_000))
    case "close": try writers[words[1]]?.close()
    case "see": return try Data(contentsOfProtected: url(words[1])) == content ? "ok" : "other content"
    case "length": return "\(try Data(contentsOfProtected: url(words[1])).count)"
    case "info": return "\(try ProtectedFile.info(of: url(words[1])).protection)"
    case "move": try ProtectedFile.setProtection(options(words[1]), of: url(words[2]))
    case "available": return "\(ProtectedData.isAvailable)"
    case "told": return told.text
    default: return "unknown word"
    }
    return "ok"
}

observe()
while let line = readLine() {
    do { print(try obey(line.split(separator: " ").map(String.init))) } catch { print(answer(error)) }
    fflush(nil)
}
