import CYardstick
import LinuxSystem

/// The cost of knowing the caller, once the program is known.
///
/// All of it runs on one processor. On several the kernel wakes a daemon here or there, which changes the time of a
/// first request by more than is measured. A daemon that is woken elsewhere also looks at its caller while that still
/// prepares its request. On one processor every microsecond counts.
extension Bench {
    /// The first request of a connection by a client in C, without making the connection: the look and nothing else.
    func measureFirstRequest() throws -> Measurement {
        try compareIdentified { daemon in
            let names = Names.sequence(of: daemon.items)
            var next = 0
            return {
                var times: [Double] = []
                for _ in 0..<300 {
                    let client = try CClient(socket: daemon.socket)
                    times.append(try time { try client.lookUp(names[next % names.count]) })
                    next += 1
                }
                return times.median
            }
        }
    }

    /// A connection of a process that had others, and its first call.
    func measureConnectingAgain() throws -> Measurement {
        try compareIdentified { daemon in
            let names = Names.sequence(of: daemon.items)
            return medianTime(of: 300) { index in
                SwiftClient.use(socket: daemon.socket)
                try SwiftClient.lookUp(names[index % names.count])
            }
        }
    }

    /// A connection and its first request by a client in C, which does nothing but write and read: the cost of the look
    /// compared with the least there can be.
    func measureConnecting() throws -> Measurement {
        try compareIdentified { daemon in
            let names = Names.sequence(of: daemon.items)
            return medianTime(of: 300) { index in
                try CClient(socket: daemon.socket).lookUp(names[index % names.count])
            }
        }
    }

    /// The first call of a program that has just started, as its own clock has it: the program is known, the process is
    /// not.
    func measureFirstCall() throws -> Measurement {
        let ownPath = ownPath
        return try compareIdentified { daemon in
            var next = 0
            return {
                var times: [Double] = []
                for _ in 0..<5 {
                    let number = Workload.number(next % 4096, of: daemon.items)
                    let program = try RunningProgram(ownPath, ["--call", daemon.socket, "\(number)"])
                    guard let nanoseconds = Double(try program.answer()) else { throw BenchError("No time was told.") }
                    times.append(nanoseconds)
                    next += 1
                }
                return times.median
            }
        }
    }

    func measureLaterRequest() throws -> Measurement {
        try compareIdentified { daemon in
            let (names, client) = (Names.sequence(of: daemon.items), try CClient(socket: daemon.socket))
            return medianTime(of: 300) { try client.lookUp(names[$0 % names.count]) }
        }
    }

    private func compareIdentified(_ sample: (Daemon) throws -> Sample) throws -> Measurement {
        guard yardstick_use_one_processor() == 0 else { throw BenchError("No processor can be chosen.") }
        defer { yardstick_use_all_processors() }
        let (ours, credulous) = (try identifyingDaemon(items: sizes.few), try credulousDaemon(items: sizes.few))
        return Measurement(
            try Comparison(rounds: rounds(60), ours: sample(ours), floor: sample(credulous)), in: .microseconds)
    }
}
