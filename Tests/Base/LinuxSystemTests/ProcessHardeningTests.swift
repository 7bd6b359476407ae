import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("ProcessHardening")
struct ProcessHardeningTests {
    @Test("After forbidding dumps the process is not dumpable and its core files have no room")
    func dumps() async {
        await #expect(processExitsWith: .success) { () throws in
            #expect(ProcessHardening.allowsDumps)
            try ProcessHardening.forbidDumps()
            #expect(!ProcessHardening.allowsDumps)
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
        }
    }

    @Test("After forbidding new privileges they stay forbidden")
    func privileges() async {
        await #expect(processExitsWith: .success) { () throws in
            #expect(try PrivilegesTests.status("NoNewPrivs") == "0")
            try ProcessHardening.forbidNewPrivileges()
            #expect(try PrivilegesTests.status("NoNewPrivs") == "1")
        }
    }

    @Test("The limit of locked memory is raised to what the process may ask for")
    func lockedMemory() async {
        await #expect(processExitsWith: .success) { () throws in
            let resource = __rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue)
            var limit = rlimit()
            unsafe getrlimit(resource, &limit)
            limit.rlim_cur = 4096
            unsafe setrlimit(resource, &limit)
            #expect(try ProcessHardening.raiseLockedMemoryLimit() == limit.rlim_max)
            unsafe getrlimit(resource, &limit)
            #expect(limit.rlim_cur == limit.rlim_max)
        }
    }

    /// The result of a system call in a child with the filter: the error's number, 0 for none.
    private func outcome(
        _ number: Int, _ arguments: [Int] = [], _ more: ProcessHardening.Reach = [.programs]
    ) -> CInt {
        let child = ForkedChild {
            do {
                try ProcessHardening.forbidNewPrivileges()
                try ProcessHardening.forbidReachingOut(more)
            } catch { return 99 }
            let words = arguments + [0, 0, 0, 0, 0, 0]
            let symbol = unsafe dlsym(nil, "syscall")
            typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
            let call = unsafe unsafeBitCast(symbol, to: Call.self)
            let result = call(number, words[0], words[1], words[2], words[3], words[4], words[5])
            return result < 0 ? errno : 0
        }
        return child.waitForExit()
    }

    #if arch(x86_64)
        @Test(
            "With the filter a process cannot trace, read or write others, take their files, start programs or mount",
            arguments: [
                101, 310, 311, 440, 312, 438, 298, 321, 323, 59, 322, 57, 58, 272, 308, 165, 166, 155, 161, 428, 429,
                430, 431,
                432, 433, 442, 304, 105, 106, 113, 114, 117, 119, 116, 248, 249, 250, 175, 313, 176, 246, 425, 426, 427,
            ])
        func reachesOut(number: Int) { #expect(outcome(number) == EPERM) }

        @Test("Programs, sockets, networks and other processes are forbidden each on its own")
        func choices() {
            let unix = Int(AF_UNIX)
            let stream = Int(SOCK_STREAM.rawValue)
            #expect(outcome(59, [], []) != EPERM)
            #expect(outcome(41, [2, stream], []) == 0)
            #expect(outcome(41, [2, stream], [.networks]) == EPERM)
            #expect(outcome(41, [unix, stream], [.networks]) == 0)
            for family in [1, 2, 10] { #expect(outcome(41, [family, stream], [.otherNetworks]) == 0, "\(family)") }
            for family in [4, 17, 38, 40] { #expect(outcome(41, [family, 3], [.otherNetworks]) == EPERM, "\(family)") }
            for call in [41, 42, 49, 50] { #expect(outcome(call, [unix, stream], [.connections]) == EPERM) }
            #expect(outcome(53, [unix, stream, 0, 0], [.connections]) != EPERM)
            let parent = Int(getpid())
            for call in [62, 200, 129, 424, 141, 203, 144] {
                #expect(outcome(call, [parent, 0], [.neighbours]) == EPERM, "\(call)")
            }
            // These calls set the owner of a descriptor, to which the kernel then sends signals of the caller's choice.
            for (call, command) in [(72, 8), (72, 10), (72, 15), (16, 0x8901), (16, 0x8902)] {
                #expect(outcome(call, [0, command, parent], [.neighbours]) == EPERM, "\(call) \(command)")
                #expect(outcome(call, [0, command, 0], []) != EPERM, "\(call) \(command)")
            }
            #expect(outcome(72, [0, 1, 0], [.neighbours]) == 0)
            #expect(outcome(62, [parent, 0], []) == 0)
            #expect(outcome(302, [parent, 7, 0, 0], [.neighbours]) == EPERM)
            #expect(outcome(302, [0, 7, 0, 0], [.neighbours]) == 0)
        }

        @Test("With the filter calls of another kind are refused")
        func otherKinds() { #expect(outcome(0x4000_0000 + 39) == EPERM) }

        @Test(
            "With the filter all else goes on: files, sockets, memory, threads, looking at processes",
            arguments: [39, 186, 24, 98])
        func worksOn(number: Int) { #expect(outcome(number) != EPERM) }
    #endif

    @Test("With the filter threads can be made, and have it too")
    func threads() {
        let child = ForkedChild {
            do {
                try ProcessHardening.forbidNewPrivileges()
                try ProcessHardening.forbidReachingOut()
                let found = Monitor<CInt>(0)
                let thread = try Thread(named: "filtered") {
                    let code: SystemError? = failure { () throws(SystemError) in
                        _ = try ChildProcess.start("/bin/true", [], handing: [])
                    }
                    found.update { $0 = code?.code ?? -1 }
                }
                thread.join()
                return found.update { $0 } == EPERM ? 0 : 1
            } catch { return 99 }
        }
        #expect(child.waitForExit() == 0)
    }
}
