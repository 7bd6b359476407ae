import EnclaveWire
import KeychainWire
import LinuxSystem

/// The text of a prompt.
struct Wording: Equatable, Sendable {
    let language: UserLanguage
    let title: String
    /// The calling program, its purpose and reason, and the user's next step.
    let lines: [String]
    /// Stands before what is entered.
    let label: String
    /// The error of the last answer; nil at first.
    var error: String?
    let ok: String
    let cancel: String
    /// The title of the alternative to a finger; nil when there is none.
    let fallback: String?

    /// Bytes of what a program says; all of a description must fit into one line of Assuan (1000 bytes).
    private static let (reasonBytes, nameBytes, titleBytes) = (360, 120, 60)
    /// Bytes of a machine's name, as many as the circle keeps.
    private static let machineBytes = CircleChange.nameBytes
    /// Bytes of the machines in a list.
    private static let othersBytes = 240

    init(_ question: UserQuestion) {
        let prompt = question.prompt
        language = UserLanguage { prompt.surroundings.environment[$0] }
        title = Text.title(language)
        lines =
            [Self.asker(question, language)] + Self.reasons(question, language) + [question.kind.instruction(language)]
        label = question.kind.label(language)
        error = Self.error(question, language)
        ok = Text.ok(language)
        cancel = Self.title(prompt.cancelTitle, .cancel, language)
        let mayFallBack = question.allowsFallback && prompt.fallbackTitle?.isEmpty != true
        fallback = mayFallBack ? Self.title(prompt.fallbackTitle, .usePasscode, language) : nil
    }

    private static func asker(_ question: UserQuestion, _ language: UserLanguage) -> String {
        let prompt = question.prompt
        let program = shown(prompt.program, nameBytes)
        let item = shown(prompt.item, nameBytes)
        let name = program.isEmpty ? Text.unknownProgram(language) : program
        if let change = question.change { return Self.wish(change, name, language) }
        switch question.kind {
        case .unlocking: return Text.asksToUnlock(language, name)
        case .shownDigits: return Text.asksToPair(language, name)
        case .digits: return Text.asksToBePaired(language, name)
        case .shownCode: return Text.asksToKeepCode(language, name)
        case .code: return Text.asksToBeRecovered(language, name)
        default: break
        }
        return item.isEmpty ? Text.asksWhoYouAre(language, name) : Text.asksForItem(language, name, item)
    }

    /// The reason that a program gives; in its place, what a change of the circle leads to.
    private static func reasons(_ question: UserQuestion, _ language: UserLanguage) -> [String] {
        if let change = question.change {
            // A removal and a recovery name machines too, and all of it must fit.
            let namesMachines = change.kind == .removesMachine || change.kind == .recovers
            return consequences(change, language)
                + place(of: question, namesMachines ? titleBytes : nameBytes, language)
        }
        switch question.kind {
        case .shownDigits:
            return place(of: question, nameBytes, language) + [Text.showsDigits(language, question.digits)]
        case .shownCode: return [Text.showsCode(language, question.digits)]
        case .digits, .code: return place(of: question, nameBytes, language)
        default: break
        }
        let reason = shown(question.prompt.reason, reasonBytes)
        return reason.isEmpty ? [] : [Text.reason(language, reason)]
    }

    /// Where the circle is kept, as the daemon says.
    private static func place(of question: UserQuestion, _ limit: Int, _ language: UserLanguage) -> [String] {
        let place = shown(question.prompt.item, limit)
        return place.isEmpty ? [] : [Text.circleTravels(language, place)]
    }

    /// A change of the circle, with nothing in it that the program says of it.
    private static func wish(
        _ change: UserQuestion.Change, _ program: String, _ language: UserLanguage
    ) -> String {
        let machine = shown(change.name, machineBytes)
        let fingerprint = shown(change.fingerprint, titleBytes)
        switch change.kind {
        case .begins: return Text.beginsCircle(language, program, machine)
        case .joins: return Text.joinsCircle(language, program, fingerprint, machine)
        case .addsMachine: return Text.addsMachine(language, program, machine, fingerprint)
        case .removesMachine: return Text.removesMachine(language, program, machine, fingerprint)
        case .leaves: return Text.leavesCircle(language, program, fingerprint)
        case .makesRecoveryKey: return Text.makesRecoveryKey(language, program, fingerprint)
        case .recovers: return Text.recoversCircle(language, program, fingerprint)
        case .resets where fingerprint.isEmpty: return Text.beginsCircle(language, program, machine)
        case .resets: return Text.resetsCircle(language, program, fingerprint, machine)
        }
    }

    private static func consequences(_ change: UserQuestion.Change, _ language: UserLanguage) -> [String] {
        switch change.kind {
        case .begins: return [Text.circleShares(language)]
        case .joins: return [Text.circleReads(language)]
        case .addsMachine: return [Text.machineReads(language)]
        case .leaves: return [Text.itemsStay(language)]
        case .resets: return [Text.othersJoinAgain(language)]
        case .makesRecoveryKey:
            return [Text.recoveryServes(language)] + (change.others.isEmpty ? [] : [Text.recoveryReplaces(language)])
        case .recovers:
            let day = shown(change.name, titleBytes)
            return [
                day.isEmpty ? Text.noNewestChange(language) : Text.newestChange(language, day),
                Text.machinesRead(language, machines(change.others, language)),
            ]
        case .removesMachine:
            let others = machines(change.others, language)
            return [Text.machineKeeps(language)] + (others.isEmpty ? [] : [Text.othersGo(language, others)])
        }
    }

    /// As many machines of a list as there is room for, each whole, and how many more there are.
    private static func machines(_ list: String, _ language: UserLanguage) -> String {
        let all = list.machines.map { machine in
            let name = shown(machine, nameBytes)
            return machine.unicodeScalars.first == "(" ? Text.recoveryKeyInList(language, name) : name
        }
        var (size, count) = (0, 0)
        for machine in all {
            size += machine.utf8.count + ", ".count
            guard count == 0 || size <= othersBytes else { break }
            count += 1
        }
        let rest = all.count - count
        return all.prefix(count).joined(separator: ", ")
            + (rest == 0 ? "" : Text.moreMachines(language, String(rest)))
    }

    private static func title(_ own: String?, _ usual: Text, _ language: UserLanguage) -> String {
        let own = shown(own ?? "", titleBytes)
        return own.isEmpty ? usual(language) : own
    }

    /// A program's text, in our quotation marks or on a button. It may be written on several lines; a row of spaces
    /// would push what follows out of sight.
    private static func shown(_ text: String, _ limit: Int) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return ForeignText.shown(words, limit: limit, inQuotes: true)
    }

    private static func error(_ question: UserQuestion, _ language: UserLanguage) -> String? {
        if question.wait > 0 { return Text.wait(language, String(question.wait)) }
        if question.failures == 0 { return nil }
        return question.kind == .finger ? Text.notRecognised(language) : Text.wrong(language)
    }
}

extension String {
    /// The machines of a list, each with what stands in brackets after it. No machine's name has brackets there. One
    /// that begins with an accent makes one character of it and the space before, so that characters end nothing here.
    fileprivate var machines: [String] {
        var (found, isInside) = ([UnicodeScalarView()], false)
        for scalar in unicodeScalars {
            if scalar == " ", !isInside, found[found.count - 1].last == "," {
                found[found.count - 1].removeLast()
                found.append(UnicodeScalarView())
            } else {
                isInside = scalar == "(" || isInside && scalar != ")"
                found[found.count - 1].append(scalar)
            }
        }
        return found.filter { !$0.isEmpty }.map { String($0) }
    }
}

extension UserQuestion.Kind {
    fileprivate func instruction(_ language: UserLanguage) -> String {
        switch self {
        case .finger: Text.touchSensor(language)
        case .passcode, .unlocking: Text.enterPasscode(language)
        case .applicationPassword: Text.enterPassword(language)
        case .newApplicationPassword: Text.choosePassword(language)
        case .loginPassword: Text.enterLoginPassword(language)
        case .shownDigits: Text.digitsServe(language)
        case .digits: Text.enterDigits(language)
        case .shownCode: Text.codeServes(language)
        case .code: Text.enterCode(language)
        }
    }

    fileprivate func label(_ language: UserLanguage) -> String {
        switch self {
        case .passcode, .unlocking: Text.passcodeLabel(language)
        case .digits: Text.digitsLabel(language)
        case .code: Text.codeLabel(language)
        default: Text.passwordLabel(language)
        }
    }
}
