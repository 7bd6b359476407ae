// For the test of programs from iOS: does what its words say with a folder of notes, and prints the result.
//
//     ios-notes FOLDER save NAME TEXT | load NAME | rewrite NAME TEXT | create NAME TEXT | describe NAME
//               | protect NAME complete|none

import Foundation

let words = CommandLine.arguments
let notes = NoteStore(directory: URL(fileURLWithPath: words[1]))

do {
    switch words[2] {
    case "save": try notes.save(words[4], as: words[3])
    case "load": print(try notes.load(words[3]))
    case "rewrite": try notes.rewrite(words[4], as: words[3])
    case "create": print(notes.create(words[3], words[4]))
    case "describe": print(try notes.describe(words[3]))
    default: try notes.protect(words[3], words[4] == "complete" ? .complete : .none)
    }
} catch let error as CocoaError {
    print("\(error.code == .fileReadNoPermission ? "no permission" : "\(error.code.rawValue)")")
    exit(1)
}
