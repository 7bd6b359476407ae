import CommandOptions
import KeychainClient
import KeychainModel
import LinuxSystem

/// The viewer as a conversation in lines: a transcript without cursor movement or colour, for screen readers and simple
/// terminals.
struct LinearBrowse {
    private let session: Session
    private let options: BrowseOptions

    init(_ session: Session, _ options: BrowseOptions) { (self.session, self.options) = (session, options) }

    /// The words that a line begins with.
    private enum Line: String, CaseIterable {
        case find, list, open, copy, reveal, add, edit, delete, deleted, undelete, lock, unlock, quit, help = "?"
    }

    /// Runs until the input ends or `quit`.
    func run() throws(CommandFailure) {
        var talk = LinearTalk(session, options)
        try talk.begin()
        while true {
            session.output.write("browse> ")
            session.flush()
            guard let line = try talk.nextLine() else { return }
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard let word = words.first else { continue }
            if word == Line.quit.rawValue || word == "q" { return }
            do throws(CommandFailure) { try answer(word, words.count > 1 ? words[1] : "", &talk) } catch {
                session.report(error)
            }
        }
    }

    private func answer(_ word: String, _ rest: String, _ talk: inout LinearTalk) throws(CommandFailure) {
        switch Line(rawValue: word) {
        case .find: try talk.find(rest)
        case .list: try talk.find("")
        case .open: try talk.open(rest)
        case .copy: try talk.copy()
        case .reveal: try talk.reveal(rest)
        case .delete: try talk.delete()
        case .add: try talk.add(rest)
        case .edit: try talk.edit()
        case .deleted: try talk.listDeleted()
        case .undelete: try talk.undelete(rest)
        case .lock: try talk.lock()
        case .unlock: try talk.unlock()
        case .help: talk.help()
        case .quit, nil: talk.say("\(word.quoted) is no word here. Type ? for help.")
        }
    }
}
