import Glibc
import LinuxSystem

/// A command that runs as a child of this process. This process shows its output with secrets masked and passes signals
/// on. It waits for the child's end and for the end of its streams, as a shell waits for a pipeline.
final class MaskedProgram {
    private let way: MaskedStreams
    private let secrets: RunSecrets
    private let signals: SignalDescriptor
    private var streams: [MaskedStream] = []
    private let relay: RelayedTerminal?
    private var keys: TerminalKeys?
    private var end: WatchedChild.End?

    private static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH]

    /// - Throws: `SystemError` of `signalfd` or `openpty`.
    init(_ way: MaskedStreams, _ secrets: RunSecrets) throws(SystemError) {
        (self.way, self.secrets) = (way, secrets)
        signals = try SignalDescriptor(Self.passedOn + [SIGCHLD])
        relay = try way.terminal.map { terminal throws(SystemError) in try RelayedTerminal(before: terminal) }
    }

    /// Starts it and stays until it has ended.
    ///
    /// - Throws: `SystemError` of `execveat` when it was not started; of `pipe2`, `fork`, `poll`.
    func run(_ execution: ProgramExecution) throws(SystemError) -> WatchedChild.End {
        var given = ProgramExecution.Streams()
        given.input = try secrets.inputPipe()
        try open(&given)
        CurrentProcess.watchChildren()
        let child = try execution.start(given, signals)
        // The command's ends are its own from here on: when it closes them, its streams end.
        given = ProgramExecution.Streams()
        relay?.releaseProgramSide()
        CurrentProcess.ignoreBrokenPipes()
        defer { relay?.restore() }
        while true {
            if let end, streams.allSatisfy(\.isFinished) { return end }
            try step(child)
        }
    }

    /// Makes the streams of the command, and those that show them.
    private func open(_ given: inout ProgramExecution.Streams) throws(SystemError) {
        if let relay {
            given.terminal = relay.program
            streams.append(try MaskedStream(relay.own, to: way.outputWay == .terminal ? way.output : way.errors, forms))
            if way.input.isTerminal, given.input == nil {
                given.input = relay.program
                keys = relay.takeKeys() ? TerminalKeys(from: way.input, to: relay.own) : nil
            }
        }
        switch way.outputWay {
        case .own: break
        case .terminal: given.output = relay?.program
        case .pipe: given.output = try pipe(to: way.output)
        }
        switch way.errorsWay {
        case .own: break
        case .terminal: given.errors = relay?.program
        case .pipe where way.areOne && way.outputWay == .pipe: given.errors = given.output
        case .pipe: given.errors = try pipe(to: way.errors)
        }
    }

    private var forms: [MaskedForm] { secrets.forms }

    private func pipe(to target: FileDescriptor) throws(SystemError) -> FileDescriptor {
        let (reader, writer) = try FileDescriptor.pipe()
        streams.append(try MaskedStream(reader, to: target, forms))
        return writer
    }

    /// Waits for the next thing and does it.
    private func step(_ child: WatchedChild) throws(SystemError) {
        var (events, actions) = ([(FileDescriptor, Readiness)](), [() -> Void]())
        events.append((signals.descriptor, .readable))
        actions.append { [self] in passSignals(to: child) }
        for stream in streams {
            if stream.isWriting {
                events.append((stream.target, .writable))
                actions.append(stream.write)
            } else if let source = stream.source {
                events.append((source, .readable))
                actions.append(stream.read)
            }
        }
        if let keys, end == nil {
            events.append(keys.event)
            actions.append(keys.move)
        }
        let deadline = streams.map(\.deadline).min() ?? .never
        let ready = try FileDescriptor.wait(for: events.map { ($0.0, $0.1) }, deadline: deadline)
        for (readiness, action) in zip(ready, actions) where !readiness.isEmpty { action() }
        for stream in streams { stream.releaseIfDue() }
    }

    private func passSignals(to child: WatchedChild) {
        while let (signal, isOfKernel) = signals.next() {
            switch signal {
            case SIGCHLD: watch(child)
            case SIGWINCH where relay != nil: relay?.adoptSize()
            // The kernel's went to the whole foreground, which the command belongs to.
            case _ where isOfKernel && relay == nil: break
            default: if end == nil { child.send(signal) }
            }
        }
    }

    private func watch(_ child: WatchedChild) {
        while end == nil, let change = child.change() {
            switch change {
            case .ended(let end): self.end = end
            // The shell sees its job stopped, and continues both. A session of its own is no job.
            case .stopped(let signal) where relay == nil && [SIGTSTP, SIGTTIN, SIGTTOU].contains(signal):
                CurrentProcess.stop()
            case .stopped: break
            }
        }
    }
}

/// Keys on their way from the outer terminal to the command's.
private final class TerminalKeys {
    private let source, target: FileDescriptor
    private let typed = SecretBuffer(capacity: 0)
    private var isOpen = true

    init(from source: FileDescriptor, to target: FileDescriptor) { (self.source, self.target) = (source, target) }

    /// The descriptor it waits for, and its readiness.
    var event: (FileDescriptor, Readiness) {
        typed.count > 0 ? (target, .writable) : (source, isOpen ? .readable : [])
    }

    func move() {
        if typed.count > 0 {
            let count = typed.withSpan { bytes in (try? target.write(bytes)) ?? nil } ?? 0
            let rest = typed.copy(from: count)
            typed.removeAll()
            return rest.withSpan { typed.append($0) }
        }
        let bytes = SecretBytes(count: 4096)
        let count = bytes.withMutableSpan { span in (try? source.read(into: &span)) ?? nil } ?? 0
        if count == 0 { isOpen = false }
        bytes.withSpan { typed.append($0.extracting(..<count)) }
    }
}
