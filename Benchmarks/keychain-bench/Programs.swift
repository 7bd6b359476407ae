import Foundation
import LinuxSystem

/// A program that serves, or waits for orders, for as long as this object lives.
final class RunningProgram {
    private let process = Process()
    private let orders = Pipe()
    private let answers = Pipe()

    init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = orders
        process.standardOutput = answers
        do { try process.run() } catch { throw BenchError("\(path) does not start: \(error). Is it built?") }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Starts a daemon and waits until it takes connections.
    static func daemon(
        _ path: String, _ arguments: [String], at socket: String, environment: [String: String] = [:]
    ) throws -> RunningProgram {
        let program = try RunningProgram(path, arguments, environment: environment)
        for _ in 0..<500 {
            if (try? UnixSocket.connect(to: socket, deadline: .after(milliseconds: 1000))) != nil { return program }
            usleep(10_000)
        }
        throw BenchError("\(path) does not listen at \(socket).")
    }

    /// Gives a worker something to do.
    func order(_ line: String) { orders.fileHandleForWriting.write(Data((line + "\n").utf8)) }

    /// Writes the last that the program reads.
    func end(with text: String) {
        orders.fileHandleForWriting.write(Data(text.utf8))
        try? orders.fileHandleForWriting.close()
    }

    /// Waits until a worker says that it is done.
    func finish() throws { _ = try answer() }

    /// Waits for a line, and gives it without its end.
    func answer() throws -> String {
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            guard let byte = try answers.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
                throw BenchError("A worker (\(process.executableURL?.path ?? "")) has ended.")
            }
            line += byte
        }
        return String(decoding: line.dropLast(), as: UTF8.self)
    }
}

/// Starts a program, waits for its end, and throws when it fails; what it writes is not looked at.
func run(_ path: String, _ arguments: [String], environment: [String]) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var texts = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (texts + variables).forEach { unsafe free($0) } }
    var (child, status): (pid_t, CInt) = (0, 0)
    guard unsafe posix_spawn(&child, path, &actions, nil, &texts, &variables) == 0,
        unsafe waitpid(child, &status, 0) == child, status == 0
    else { throw BenchError("\(path) \(arguments.joined(separator: " ")) failed.") }
}
