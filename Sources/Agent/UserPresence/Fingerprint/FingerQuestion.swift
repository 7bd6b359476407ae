import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import Systemd

/// Waits for a finger while something the user sees says so.
struct FingerQuestion {
    let wording: Wording
    let surroundings: PromptEnvironment
    let deadline: Deadline
    let withdrawal: Withdrawal

    /// Tries the prompt methods one after the other until one of them works.
    func ask(_ methods: [PromptMethod]) -> UserAnswer {
        // Pinentries for terminals are made for secrets. A line of text says better that a finger is expected.
        let methods = methods.filter { if case .terminalPinentry = $0 { false } else { true } }
        guard !methods.isEmpty, let reader = try? FingerprintReader(), (try? reader.begin()) != nil else {
            return .unreachable
        }
        for method in methods {
            let answer = awaitTouch(method, reader)
            if case .unreachable = answer { continue }
            return answer
        }
        return .unreachable
    }

    private func awaitTouch(_ method: PromptMethod, _ reader: FingerprintReader) -> UserAnswer {
        switch method {
        case .window(let program):
            let prompt = PinentryPrompt(program: program, isGraphical: true, surroundings: surroundings)
            return askInWindow(prompt, reader)
        case .terminal, .terminalPinentry:
            do throws(SystemError) {
                return try TerminalPrompt(surroundings).whileWaiting(wording) { (terminal) throws(SystemError) in
                    try askOnTerminal(terminal, reader)
                }
            } catch { return .unreachable }
        }
    }

    private enum Happening {
        case withdrawn
        case timedOut
        case touched(FingerprintReader.Touch)
        /// The user did something in the dialog.
        case dialog
    }

    private func next(_ reader: FingerprintReader, _ dialog: FileDescriptor) throws(SystemError) -> Happening {
        while true {
            do throws(BusError) {
                if let touch = try reader.touch() { return .touched(touch) }
            } catch { return .touched(.lost) }
            do throws(SystemError) {
                let descriptors = [withdrawal.descriptor, dialog, reader.descriptor]
                switch try FileDescriptor.waitForAny(of: descriptors, deadline: deadline) {
                case 0: return .withdrawn
                case 1: return .dialog
                default: break
                }
            } catch {
                guard error.code == ETIMEDOUT else { throw error }
                return .timedOut
            }
        }
    }

    /// The answer that an event leads to; nil for an event that only changes the text or is to be looked at.
    private static func answer(_ happening: Happening) -> UserAnswer? {
        switch happening {
        case .withdrawn: .withdrawn
        case .timedOut: .timedOut
        case .touched(.matched): .matched
        case .touched(.noMatch): .noMatch
        case .touched(.lost): .unreachable
        case .touched(.unreadable), .dialog: nil
        }
    }
}

// MARK: - On a terminal

extension FingerQuestion {
    private func askOnTerminal(_ terminal: Terminal, _ reader: FingerprintReader) throws(SystemError) -> UserAnswer {
        while true {
            let happening = try next(reader, terminal.device)
            if let answer = Self.answer(happening) { return answer }
            if case .touched(.unreadable(let text)) = happening { try terminal.show(text(wording.language) + "\n") }
            guard case .dialog = happening else { continue }
            switch try terminal.key() {
            case .enter where wording.fallback != nil: return .fallback
            case .cancel: return .cancelled
            case .enter, .other, nil: break
            }
        }
    }
}

// MARK: - In a window

extension FingerQuestion {
    private func askInWindow(_ prompt: PinentryPrompt, _ reader: FingerprintReader) -> UserAnswer {
        var wording = wording
        while true {
            do {
                let pinentry = try prompt.beginConfirmation(
                    wording, deadline: deadline, withdrawal: withdrawal.descriptor)
                let happening = try next(reader, pinentry.output)
                if let answer = Self.answer(happening) { return answer }
                // A dialog cannot be changed while it is open. A new text comes with a new dialog.
                guard case .touched(.unreadable(let text)) = happening else { return dialogAnswer(pinentry) }
                wording.error = text(wording.language)
            } catch let error as Pinentry.Failure {
                return UserAnswer(error)
            } catch { return .unreachable }
        }
    }

    private func dialogAnswer(_ pinentry: Pinentry) -> UserAnswer {
        do throws(Pinentry.Failure) {
            _ = try pinentry.reply()
            return wording.fallback == nil ? .cancelled : .fallback
        } catch { return UserAnswer(error) }
    }
}
