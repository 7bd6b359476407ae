import Glibc
import LinuxSystem

/// The queue of user numbers that the master has looked up by a second process, the *clerk*. The look-up can take long
/// and runs other people's code (nsswitch.conf).
///
///     question = user:u32              ; little-endian; one at a time
///     answer   = known:u8              ; 0 no account, 1 an account, 2 it cannot be found out now
///
/// Belongs to the master's thread.
final class AccountQueue {
    enum Answer: UInt8 {
        case no = 0
        case yes = 1
        case unknown = 2
    }

    /// A user, and what waits for the answer.
    struct Question {
        let user: UInt32
        var waiting: [UserDaemon.Arrival]
    }

    private let start: Master.AccountLookup
    /// How long a look-up may take: milliseconds.
    private let longestLookup: Int
    private let epoll: Epoll
    private let token: UInt64
    /// The first one has been asked.
    private var questions: [Question] = []
    private var clerk: AccountLookup?
    /// When the clerk has taken too long, or has nothing to do any more.
    private(set) var deadline = Deadline.never
    /// Numbers without an account, and until when that is believed.
    private var strangers: [UInt32: Deadline] = [:]

    private struct AccountLookup {
        let process: ChildProcess
        let channel: UnixSocket
        /// Whether it has given an answer.
        var isProven = false
    }

    /// How long a clerk waits for the next question: milliseconds.
    private static let longestIdle = 10_000
    /// How long a number without an account stays one: milliseconds. Somebody may have made it one meanwhile.
    private static let strangerTime = 5000
    private static let mostStrangers = 1 << 16
    private static let mostQuestions = 512
    /// Of 65,536 numbers, as many may wait.
    private static let mostOfBlock = 16
    private static let blockBits = 16 as UInt32
    private static let mostWaiting = 32

    init(
        _ start: @escaping Master.AccountLookup, longestLookup: Int, watchedBy epoll: Epoll, token: UInt64
    ) {
        (self.start, self.longestLookup, self.epoll, self.token) = (start, longestLookup, epoll, token)
    }

    /// Whether a number is known to have no account.
    func isStranger(_ user: UInt32) -> Bool { strangers[user].map { !$0.hasPassed } ?? false }

    /// Whether a connection of a user may wait for the look-up; false when too much waits already.
    ///
    /// - Parameter isKnown: whether the user has a keychain: then it comes before those who might be anybody.
    func mayAsk(about user: UInt32, isKnown: Bool) -> Bool {
        guard let question = questions.first(where: { $0.user == user }) else { return isKnown || mayWait(user) }
        return question.waiting.count < Self.mostWaiting
    }

    /// Has a user looked up for a connection that may wait (``mayAsk(about:isKnown:)``).
    func ask(about user: UInt32, for arrival: UserDaemon.Arrival, isKnown: Bool) {
        if let index = questions.firstIndex(where: { $0.user == user }) {
            return questions[index].waiting.append(arrival)
        }
        let question = Question(user: user, waiting: [arrival])
        // The first one has been asked already.
        if isKnown, !questions.isEmpty { questions.insert(question, at: 1) } else { questions.append(question) }
        if questions.count == 1 { put() }
    }

    /// A user's subordinate numbers are adjacent, so that they cannot take the places of others' numbers.
    private func mayWait(_ user: UInt32) -> Bool {
        questions.count < Self.mostQuestions
            && questions.count { $0.user >> Self.blockBits == user >> Self.blockBits } < Self.mostOfBlock
    }

    /// The result, after the clerk has said something, ended, or taken too long; nil when there is nothing new.
    func conclude() -> (Question, Answer)? {
        guard !questions.isEmpty else {
            if deadline.hasPassed || clerk.map({ hasEnded($0) }) ?? false {
                dismiss()
                strangers = strangers.filter { !$0.value.hasPassed }
            }
            return nil
        }
        let answer: Answer
        if let clerk, let heard = hear(clerk) {
            answer = heard
            self.clerk?.isProven = true
        } else if deadline.hasPassed {
            dismiss()
            answer = .unknown
        } else if clerk == nil {
            // It could not be started, or has ended: one that had answered before may have ended of old age.
            answer = .unknown
        } else {
            return nil
        }
        let question = questions.removeFirst()
        if answer == .no { noteStranger(question.user) }
        put()
        return (question, answer)
    }

    /// Closes the clerk and ends the waits for it.
    func close() {
        questions = []
        dismiss()
    }

    /// Puts the first question.
    private func put() {
        guard let question = questions.first else {
            deadline = clerk == nil ? .never : .after(milliseconds: Self.longestIdle)
            return
        }
        deadline = .after(milliseconds: longestLookup)
        let bytes = (0..<UInt32(4)).map { UInt8(truncatingIfNeeded: question.user >> (8 * $0)) }
        if let clerk {
            if (try? clerk.channel.sendFully(bytes.span, deadline: .now)) != nil { return }
            dismiss()
        }
        do throws(SystemError) {
            let new = try makeClerk()
            clerk = new
            try new.channel.sendFully(bytes.span, deadline: .now)
            deadline = .after(milliseconds: longestLookup)
        } catch {
            dismiss()
            // It is concluded at once that nothing is known.
            deadline = .now
        }
    }

    private func makeClerk() throws(SystemError) -> AccountLookup {
        let (ours, theirs) = try UnixSocket.pair()
        let process = try start(theirs)
        do throws(SystemError) { try epoll.add(ours.descriptor, for: .readable, token: token) } catch {
            process.reap(timeout: 0)
            throw error
        }
        return AccountLookup(process: process, channel: ours)
    }

    /// The answer, if there is one; a clerk that has ended is dismissed, and one that had answered before is replaced.
    private func hear(_ clerk: AccountLookup) -> Answer? {
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        do throws(SystemError) {
            let count = try clerk.channel.receiveFully(into: &span, deadline: .now)
            if count == 1 { return Answer(rawValue: byte[0]) ?? .unknown }
        } catch  where error.code == ETIMEDOUT {
            return nil
        } catch {}
        dismiss()
        if clerk.isProven { put() }
        return nil
    }

    private func hasEnded(_ clerk: AccountLookup) -> Bool {
        (try? clerk.channel.descriptor.wait(for: .readable, deadline: .now)) != nil
    }

    private func dismiss() {
        guard let clerk else { return }
        try? epoll.remove(clerk.channel.descriptor)
        clerk.process.reap(timeout: 0)
        self.clerk = nil
        deadline = .never
    }

    private func noteStranger(_ user: UInt32) {
        if strangers.count >= Self.mostStrangers { strangers = strangers.filter { !$0.value.hasPassed } }
        if strangers.count < Self.mostStrangers { strangers[user] = .after(milliseconds: Self.strangerTime) }
    }
}
