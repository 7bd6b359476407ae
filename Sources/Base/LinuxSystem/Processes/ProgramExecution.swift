import CLinux
import Glibc

/// A program that is held open, with its words and variables, ready to take this process's place or to run as its
/// child. It is executed by its descriptor, so a file that was put at its path meanwhile is not.
///
/// Words and variables may be secret. They are in ordinary memory, because locked memory is empty in a child, and are
/// wiped with this object.
@safe package final class ProgramExecution {
    private let file: FileDescriptor
    private let arguments: CStringList
    private let environment: CStringList

    /// - Parameters:
    ///   - file: the program, which is no script; it need not be open for reading.
    ///   - arguments: its command line, the name first; none may contain a zero byte.
    ///   - environment: its complete environment, `NAME=VALUE` each.
    package init(_ file: FileDescriptor, _ arguments: [SecretBytes], environment: [SecretBytes]) {
        self.file = file
        (self.arguments, self.environment) = (CStringList(arguments), CStringList(environment))
    }

    /// Replaces this program in the same process. The standard streams stay, the group of a marked program does not.
    ///
    /// - Throws: `SystemError` of `setresgid` or `execveat`; when this returns at all, the program was not started.
    package func takeOver() throws(SystemError) -> Never {
        try CurrentProcess.giveUpGroup()
        _ = unsafe clinux_execute(file.number, arguments.start, environment.start)
        throw SystemError(code: errno, call: "execveat")
    }

    /// The standard streams of the child; nil leaves the one of this process.
    package struct Streams {
        package var input, output, errors: FileDescriptor?
        /// The terminal that controls a session of the child's own.
        package var terminal: FileDescriptor?
        package init() {}
    }

    /// Starts the program as a child, which gets a signal when the calling thread ends. The group of a marked program
    /// is given up first.
    ///
    /// - Parameters:
    ///   - signals: the signals that this process watches; the child has them as they were.
    ///   - deathSignal: SIGKILL for a program that may ignore others; SIGTERM for one that has something to clean up.
    /// - Throws: `SystemError` of `setresgid`, `fork` or `execveat`; there is no child then.
    package func start(
        _ streams: Streams, _ signals: SignalDescriptor, deathSignal: CInt = SIGKILL
    ) throws(SystemError) -> WatchedChild {
        try CurrentProcess.giveUpGroup()
        let moved = try Self.moved(streams)
        var given = clinux_streams(
            input: moved.input?.number ?? -1, output: moved.output?.number ?? -1,
            errors: moved.errors?.number ?? -1, terminal: moved.terminal?.number ?? -1)
        var mask = signals.before
        let child = try retrying("execveat") {
            unsafe clinux_start_watched(file.number, arguments.start, environment.start, &given, &mask, deathSignal)
        }
        return WatchedChild(child)
    }

    /// Copies above the standard numbers.
    private static func moved(_ streams: Streams) throws(SystemError) -> Streams {
        var moved = Streams()
        moved.input = try streams.input.map(above)
        moved.output = try streams.output.map(above)
        moved.errors = try streams.errors.map(above)
        moved.terminal = try streams.terminal.map(above)
        return moved
    }

    private static func above(_ stream: FileDescriptor) throws(SystemError) -> FileDescriptor {
        try .duplicate(stream.number, from: STDERR_FILENO + 1)
    }
}

/// A child whose end and stops are watched. It must be waited for.
package final class WatchedChild {
    package let identifier: Int32

    /// How a child ended.
    package enum End: Equatable, Sendable {
        case exited(CInt)
        case killed(signal: CInt)
    }

    /// A change of a child's state.
    package enum Change: Equatable, Sendable {
        case ended(End)
        case stopped(signal: CInt)
    }

    fileprivate init(_ identifier: Int32) { self.identifier = identifier }

    /// The next thing that became of it; nil when nothing did since. After its end it must not be asked again.
    package func change() -> Change? {
        var status: CInt = 0
        guard unsafe waitpid(identifier, &status, WNOHANG | WUNTRACED) == identifier else { return nil }
        if status & 0xff == 0x7f { return .stopped(signal: status >> 8 & 0xff) }
        return .ended(status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: status & 0x7f))
    }

    /// Sends a signal; only before its end was seen.
    package func send(_ signal: CInt) { Glibc.kill(identifier, signal) }
}

/// An array of C strings with a null pointer at its end.
@safe private final class CStringList {
    let start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let counts: [Int]

    init(_ list: [SecretBytes]) {
        counts = list.map { $0.count + 1 }
        unsafe start = .allocate(capacity: list.count + 1)
        unsafe (start + list.count).initialize(to: nil)
        for (index, bytes) in list.enumerated() {
            let text = UnsafeMutablePointer<CChar>.allocate(capacity: counts[index])
            bytes.withSpan { span in
                for place in span.indices { unsafe text[place] = CChar(bitPattern: span[place]) }
            }
            unsafe text[bytes.count] = 0
            unsafe (start + index).initialize(to: text)
        }
    }

    deinit {
        for (index, count) in counts.enumerated() {
            unsafe clinux_wipe(start[index], count)
            unsafe start[index]?.deallocate()
        }
        unsafe start.deallocate()
    }
}
