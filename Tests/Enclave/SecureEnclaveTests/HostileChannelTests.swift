import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

/// The enclave's end of the channel, with nothing between the test and the bytes: it believes nothing it is told.
struct HostileChannelTests {
    let channel: RawChannel
    private let server: Thread
    private let answer = SecretBuffer()

    init() throws { (channel, server) = try RawChannel.served() }

    private func expectItServesOn() throws {
        answer.removeAll()
        #expect(try channel.call(EnclaveCalls.indexKey.operation.word(), into: answer) == 0)
        #expect(answer.count == 32)
    }

    @Test("nothing secret stays in the shared memory after a call")
    func wiped() throws {
        #expect(try channel.call(EnclaveCalls.makeMetadataKey.operation.word(for: .always), into: answer) == 0)
        #expect(answer.count == 92)
        var memory = [UInt8](repeating: 1, count: EnclaveChannelFormat.memorySize)
        var span = memory.mutableSpan
        channel.memory.read(at: 0, into: &span)
        // The head of the message remains, and it says only how long that was.
        #expect(memory[72...].allSatisfy { $0 == 0 })
    }

    @Test(
        "a word that means nothing is refused, and the slot serves on",
        arguments: [0, 18, 200, 0x0800 | 2, 0x10002, 0x1000_0002] as [UInt32])
    func strangeWords(_ word: UInt32) throws {
        #expect(try channel.call(word, into: answer) == KeychainStatus.param.rawValue)
        try expectItServesOn()
    }

    @Test(
        "no passcode comes through a slot, and no second hello",
        arguments: [EnclaveCalls.unlock.operation, EnclaveCalls.hello, EnclaveCalls.setCredential.operation])
    func slotWithoutDescriptors(_ operation: EnclaveOperation) throws {
        #expect(try channel.call(operation.word(), into: answer) == KeychainStatus.param.rawValue)
        try expectItServesOn()
    }

    @Test("every body of every operation is answered, whatever is in it")
    func hostileBodies() throws {
        for operation in EnclaveCalls.all where operation.descriptors == 0 {
            for size in [0, 1, 31, 32, 47, 48, 60, 79, 80, 160, EnclaveChannelFormat.bodyLimit] {
                for code: UInt32 in [0, 1, 7] {
                    let word = operation.word() | code << 8
                    _ = try channel.call(word, Randomness.bytes(size), slot: 1, into: SecretBuffer())
                }
            }
        }
        try expectItServesOn()
    }

    @Test(
        "a passcode operation without its descriptor, or with one too many, ends nothing but is refused",
        arguments: [0, 2])
    func descriptors(_ count: Int) throws {
        let passcodes = try (0..<count).map { _ in try TestDevice.passcode("1") }
        let word = EnclaveCalls.setPasscode.operation.word()
        try channel.socket.send(word, Span(), attaching: passcodes, deadline: soon)
        let status = try #require(try channel.socket.receive(deadline: soon)).word
        #expect(Int32(bitPattern: status) == KeychainStatus.param.rawValue)
        try expectItServesOn()
    }

    @Test("a length beyond the slot ends the channel")
    func lyingLength() throws {
        let head: [UInt8] = [0xff, 0xff, 0xff, 0x7f, 7, 0, 0, 0]
        channel.memory.write(head.span, at: 64)
        channel.memory.word(at: 0).store(1)
        channel.memory.word(at: 0).wake()
        #expect(try channel.socket.receive(deadline: soon) == nil)
        server.join()
    }

    @Test("bytes on the socket that are no message end the channel", arguments: [1, 7, 8, 100])
    func garbage(_ size: Int) throws {
        try channel.socket.socket.sendFully([UInt8](repeating: 0xff, count: size).span, deadline: soon)
        // The end of the stream, or its reset when the enclave has not read everything.
        #expect((try? channel.socket.receive(deadline: soon)) == nil)
        server.join()
    }

    @Test("a hello of another release, or with memory that could be resized, is not answered")
    func strangeHello() throws {
        let device = TestDevice()
        let memory = try SharedMemory(count: EnclaveChannelFormat.memorySize)
        let file = try FileDescriptor.open(device.folder.file("memory"), O_RDWR | O_CREAT)
        #expect(ftruncate(file.number, EnclaveChannelFormat.memorySize) == 0)
        let hello = EnclaveChannelFormat.hello
        for (body, descriptor) in [
            ([hello[0] + 1] + hello.dropFirst(), memory.descriptor), (hello, file),
        ] {
            let (ours, theirs) = try UnixSocket.pair()
            let enclave = try device.start()
            let refused = Monitor<Refusal?>(nil)
            let server = try Thread(named: "server") {
                do throws(Refusal) { try EnclaveServer(enclave, channel: theirs).run() } catch {
                    refused.update { $0 = error }
                }
            }
            try EnclaveSocket(ours).send(EnclaveCalls.hello.word(), body.span, attaching: [descriptor], deadline: soon)
            server.join()
            #expect(refused.update { $0 }?.status == .notAvailable)
        }
    }
}
