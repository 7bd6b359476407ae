import Glibc
import LinuxSystem
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
            #expect(ProcessHardening.allowsNewPrivileges)
            try ProcessHardening.forbidNewPrivileges()
            #expect(!ProcessHardening.allowsNewPrivileges)
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
}
