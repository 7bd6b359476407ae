// For the tests that lock the keychain under open files: a program that does what its lines say, and answers each with
// one line: `ok`, a value, or the status and the rule of a refusal.
//
//     make CLASS PATH      writes a protected file
//     open NAME PATH       opens one, which keeps the name
//     read NAME            reads its last bytes
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

func options(_ name: String) -> ProtectedFile.Options { .init(classes[name] ?? .none) }
func url(_ path: String) -> URL { URL(filePath: path) }

@MainActor func obey(_ words: [String]) throws -> String {
    switch words[0] {
    case "make": try content.write(to: url(words[2]), protection: options(words[1]))
    case "open": readers[words[1]] = try .init(readingFrom: url(words[2]))
    case "read":
        let part = try readers[words[1]]?.read(at: 150_000, count: 100_000)
        return part == content[150_000...] ? "ok" : "other content"
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
    do { print(try obey(line.split(separator: " ").map(String.init))) } catch {
        let error = error as? SecItemError
        print("\(error?.status ?? 0) \(error?.rule ?? "")")
    }
    fflush(nil)
}
