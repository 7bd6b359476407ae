import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("SharedMemory")
struct SharedMemoryTests {
    private func twoMappings(_ count: Int = 8192) throws -> (SharedMemory, SharedMemory) {
        let first = try SharedMemory(count: count)
        return (first, try SharedMemory(receiving: .duplicate(first.descriptor.number), count: count))
    }

    private func read(_ memory: SharedMemory, at offset: Int, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xee, count: count)
        var span = bytes.mutableSpan
        memory.read(at: offset, into: &span)
        return bytes
    }

    @Test("What is written in one mapping is read in the other, to the last byte, until it is wiped")
    func sharing() throws {
        let (here, there) = try twoMappings()
        #expect(read(there, at: 0, 8192) == [UInt8](repeating: 0, count: 8192))
        here.write([1, 2, 3].span, at: 8189)
        #expect(read(there, at: 8188, 4) == [0, 1, 2, 3])
        there.wipe(at: 8190, count: 2)
        #expect(read(here, at: 8188, 4) == [0, 1, 0, 0])
    }

    @Test("Two threads hand a turn to and fro through two mappings")
    func turns() throws {
        let (here, there) = try twoMappings()
        let rounds: UInt32 = 2000
        let thread = try Thread(named: "partner") {
            let word = there.word(at: 64)
            for round in 0..<rounds {
                while word.load() != 2 * round + 1 { _ = word.wait(while: 2 * round, deadline: soon) }
                #expect(word.add(1) == 2 * round + 2)
                word.wake()
            }
        }
        let word = here.word(at: 64)
        for round in 0..<rounds {
            word.store(2 * round + 1)
            word.wake()
            while word.load() == 2 * round + 1 { _ = word.wait(while: 2 * round + 1, deadline: soon) }
        }
        thread.join()
        #expect(word.exchange(7) == 2 * rounds && here.word(at: 64).load() == 7)
    }

    @Test("A word that has changed already is not waited on; one that nobody changes is until the deadline")
    func waiting() throws {
        let word = try SharedMemory(count: 4096).word(at: 0)
        #expect(word.wait(while: 1, deadline: .never))
        #expect(!word.wait(while: 0, deadline: .after(milliseconds: 10)))
        #expect(!word.wait(while: 0, deadline: .now))
        #expect(word.wake(count: 10) == 0)
    }

    @Test("A file that a peer could shrink, or of another size, is refused")
    func refusals() throws {
        let directory = try TemporaryDirectory()
        try AtomicFile.replace(directory.file("file"), with: [UInt8](repeating: 0, count: 4096).span)
        let file = try FileDescriptor.open(directory.file("file"), O_RDWR)
        #expect(code { () throws(SystemError) in _ = try SharedMemory(receiving: file, count: 4096) } == EINVAL)
        let memory = try SharedMemory(count: 4096)
        for count in [0, 4095, 4097, 1 << 40] {
            #expect(
                code { () throws(SystemError) in _ = try SharedMemory(receiving: memory.descriptor, count: count) }
                    == EINVAL)
        }
        #expect(ftruncate(memory.descriptor.number, 0) == -1)
    }

    @Test("Access outside the memory stops the process before it happens", arguments: [-1, 4093, Int.max])
    func bounds(offset: Int) async {
        await #expect(processExitsWith: .failure) { [offset] in
            let memory = try SharedMemory(count: 4096)
            memory.write([1, 2, 3, 4].span, at: offset)
            exit(EXIT_SUCCESS)
        }
    }
}
