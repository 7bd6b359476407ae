import Glibc
import TestSupport
import Testing

@testable import LinuxSystem

@Suite("SocketActivation")
struct SocketActivationTests {
    @Test("Without a service manager there are no sockets")
    func none() async {
        await #expect(processExitsWith: .success) { () throws in
            unsafe unsetenv("LISTEN_FDS")
            #expect(try SocketActivation.sockets().isEmpty)
            // The variables are for the parent, which has not removed them.
            unsafe setenv("LISTEN_FDS", "1", 1)
            unsafe setenv("LISTEN_PID", "1", 1)
            #expect(try SocketActivation.sockets().isEmpty)
        }
    }

    @Test("The sockets of a service manager are taken over, once")
    func sockets() async {
        await #expect(processExitsWith: .success) { () throws in
            let directory = try TemporaryDirectory()
            let listeners = try ["a", "b"].map { name in
                let listener = try UnixSocket.listen(at: directory.file(name)).descriptor
                return try withExtendedLifetime(listener) { try FileDescriptor.duplicate(listener.number) }
            }
            for (number, listener) in zip([100, 101] as [CInt], listeners) { dup2(listener.number, number) }
            unsafe setenv("LISTEN_FDS", "2", 1)
            unsafe setenv("LISTEN_PID", "\(getpid())", 1)
            let sockets = try SocketActivation.sockets(from: 100)
            #expect(sockets.map(\.descriptor.number) == [100, 101])
            let client = try UnixSocket.connect(to: directory.file("b"), deadline: soon)
            #expect(try sockets[0].accept() == nil)
            #expect(try sockets[1].accept() != nil)
            #expect(sockets.allSatisfy { $0.descriptor.isClosedOnExec })
            #expect(try SocketActivation.sockets().isEmpty)
            _ = client
        }
    }

    @Test("A descriptor that is no listening socket, and a number that is none, are refused with what to do")
    func refusals() async {
        await #expect(processExitsWith: .success) { () throws in
            let (connected, other) = try UnixSocket.pair()
            dup2(connected.descriptor.number, 100)
            for amount in ["1", "-1", "65", "many"] {
                unsafe setenv("LISTEN_FDS", amount, 1)
                unsafe setenv("LISTEN_PID", "\(getpid())", 1)
                let failure = #expect(throws: SystemError.self) { try SocketActivation.sockets(from: 100) }
                #expect(failure?.code == EINVAL && failure?.advice.isEmpty == false)
            }
            _ = other
        }
    }
}
