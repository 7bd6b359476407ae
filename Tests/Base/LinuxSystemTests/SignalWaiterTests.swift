import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("SignalWaiter")
struct SignalWaiterTests {
    @Test("A signal that came before the wait is returned once, and a wait without one ends at its deadline")
    func signals() async {
        await #expect(processExitsWith: .success) {
            let waiter = SignalWaiter([SIGUSR1, SIGUSR2])
            // Sent to this thread: another thread of the test's process has not blocked it.
            pthread_kill(pthread_self(), SIGUSR2)
            #expect(waiter.wait(deadline: soon) == SIGUSR2)
            #expect(waiter.wait(deadline: .after(milliseconds: 1)) == nil)
            pthread_kill(pthread_self(), SIGUSR1)
            #expect(waiter.wait() == SIGUSR1)
        }
    }
}
