import LinuxSystem

/// The line for a script that has to tell the command's exit status from that of `run` itself.
struct RunReport {
    private let output: Output?

    /// - Parameter number: a descriptor that was inherited; nil where nobody wants the line.
    init(_ number: CInt?) throws(CommandFailure) {
        do throws(SystemError) { output = try number.map(FileDescriptor.inherited).map(Output.init) } catch {
            throw .failed(
                "run: descriptor \(number ?? -1) is not open", cause: "\(error).",
                remedy: "Open it in the shell: --status-fd 3 3>FILE.")
        }
    }

    var isWanted: Bool { output != nil }

    func write(notStarted status: Int32) {
        write([("started", .boolean(false)), ("exit", .number(Int64(UInt8(truncatingIfNeeded: status))))])
    }

    func write(end: WatchedChild.End) {
        switch end {
        case .exited(let status): write([("started", .boolean(true)), ("exit", .number(Int64(status)))])
        case .killed(let signal): write([("started", .boolean(true)), ("signal", .number(Int64(signal)))])
        }
    }

    private func write(_ members: [(String, JSONValue)]) {
        output?.write(.object(members.map { (key: $0.0, value: $0.1) }))
        output?.flush()
    }
}
