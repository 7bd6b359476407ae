package import EnclaveWire
import Glibc
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// The enclave's end of the channel: serves one daemon until it goes.
///
/// One thread per slot, each asleep until it is asked; the thread that calls ``run()`` serves the socket, and with it
/// whatever takes long. A daemon that breaks the format loses the channel.
package final class EnclaveServer: Sendable {
    /// How long the daemon may take to say hello or to read an answer, in milliseconds.
    private static let timeout = 10_000

    private let dispatcher: EnclaveDispatcher
    private let socket: EnclaveSocket
    private let slots: [EnclaveSlot]
    private let threads: [Thread]
    private let mayGoOn: @Sendable () -> Bool

    /// Waits for the daemon's hello and starts the threads of the slots. The daemon learns of it with ``run()``, so
    /// that a program can close itself in between: all threads there will be are running.
    ///
    /// - Parameter mayGoOn: asked after every answer; when it says no, that was the last one. An enclave whose chip has
    ///   gone ends so, for one that is closed in cannot look for it again.
    /// - Throws: `errSecNotAvailable` when the daemon does not say hello, or is of another release.
    package init(
        _ enclave: any EnclaveService, channel: UnixSocket, mayGoOn: @escaping @Sendable () -> Bool = { true }
    ) throws(Refusal) {
        self.mayGoOn = mayGoOn
        dispatcher = EnclaveDispatcher(enclave: enclave)
        socket = EnclaveSocket(channel)
        do throws(SystemError) {
            let memory = try Self.awaitHello(on: socket)
            enclave.epoch.mirror(in: memory.word(at: EnclaveChannelFormat.epochOffset))
            let count = EnclaveChannelFormat.slots + EnclaveChannelFormat.promptSlots
            slots = (0..<count).map { EnclaveSlot($0, in: memory) }
            threads = try Self.start(slots, dispatcher, socket, mayGoOn)
        } catch { throw .brokenChannel(error) }
    }

    /// Serves until the daemon has gone or broken the format.
    package func run() {
        serveSocket()
        for slot in slots { slot.close() }
        dispatcher.session.questions.end { [enclave = dispatcher.session.enclave] in try? enclave.invalidate($0) }
        for thread in threads { thread.join() }
    }

    /// Tells a daemon that says hello why there is no enclave.
    package static func refuse(_ refusal: Refusal, channel: UnixSocket) {
        let socket = EnclaveSocket(channel)
        let body = SecretBuffer()
        refusal.append(to: body)
        // A daemon that has gone does not need to know.
        do throws(SystemError) {
            _ = try awaitHello(on: socket)
            try body.withSpan { (body) throws(SystemError) in
                let status = UInt32(bitPattern: refusal.status.rawValue)
                try socket.send(status, body, deadline: .after(milliseconds: timeout))
            }
        } catch {}
    }

    private static func awaitHello(on socket: EnclaveSocket) throws(SystemError) -> SharedMemory {
        let message = try socket.receive(deadline: .after(milliseconds: timeout))
        let hello = EnclaveChannelFormat.hello
        guard let message, message.word == EnclaveCalls.hello.word(), let memory = message.descriptors.first,
            message.body.withSpan({ $0.isEqual(to: hello.span) })
        else { throw SystemError(code: EPROTO, call: "recvmsg", advice: "no daemon of this release at the other end") }
        return try SharedMemory(receiving: memory, count: EnclaveChannelFormat.memorySize)
    }
}

// MARK: - Serving

extension EnclaveServer {
    private static func start(
        _ slots: [EnclaveSlot], _ dispatcher: EnclaveDispatcher, _ socket: EnclaveSocket,
        _ mayGoOn: @escaping @Sendable () -> Bool
    ) throws(SystemError) -> [Thread] {
        var threads: [Thread] = []
        for slot in slots {
            let thread = try Thread(named: "enclave-slot") {
                serve(slot, dispatcher, mayGoOn)
                // Wakes the thread of the socket, and tells the daemon.
                shutdown(socket.socket.descriptor.number, CInt(SHUT_RDWR))
            }
            threads.append(thread)
        }
        return threads
    }

    private static func serve(
        _ slot: EnclaveSlot, _ dispatcher: EnclaveDispatcher, _ mayGoOn: () -> Bool
    ) {
        let request = SecretBuffer(capacity: EnclaveChannelFormat.bodyLimit)
        let answer = SecretBuffer(capacity: EnclaveChannelFormat.bodyLimit)
        var spin = AdaptiveSpin()
        while let word = slot.next(into: request, &spin) {
            let status = request.withSpan { dispatcher.answer(word, $0, into: answer) }
            answer.withSpan { slot.answer(status, $0) }
            answer.removeAll()
            if !mayGoOn() { return lingerAfterLastAnswer() }
        }
    }

    /// The daemon gives up calls whose answer it has not read when it sees the channel end.
    private static func lingerAfterLastAnswer() { _ = poll(nil, 0, 200) }

    private func serveSocket() {
        let answer = SecretBuffer()
        do throws(SystemError) {
            // The hello, which was waited for at the start.
            try send(0, answer)
            while let request = try socket.receive(deadline: .never) {
                let status = request.body.withSpan {
                    dispatcher.answer(request.word, $0, descriptors: request.descriptors, into: answer)
                }
                try send(status, answer)
                answer.removeAll()
                if !mayGoOn() { return }
            }
        } catch {
            // The daemon has gone, or does not read what it asked for.
        }
    }

    private func send(_ status: UInt32, _ answer: SecretBuffer) throws(SystemError) {
        try answer.withSpan { (body) throws(SystemError) in
            try socket.send(status, body, deadline: .after(milliseconds: Self.timeout))
        }
    }
}

extension Refusal {
    fileprivate static func brokenChannel(_ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "enclave", "The enclave has no daemon to serve (\(error)).",
            do: "Let the keychain daemon start the enclave; it is not started by hand.")
    }
}
