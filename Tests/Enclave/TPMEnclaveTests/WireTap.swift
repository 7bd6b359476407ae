import Glibc
import LinuxSystem
import TestSupport

/// Stands between a program and its TPM, and keeps a copy of all that passes.
final class WireTap: Sendable {
    private let folder: TemporaryDirectory
    private let copy = Lock<[UInt8]>([])
    private let threads = Lock<[LinuxSystem.Thread]>([])

    init(_ chip: SoftwareTPM) throws {
        folder = try TemporaryDirectory()
        let target = String(chip.address.dropFirst("swtpm:path=".count))
        let listener = try UnixSocket.listen(at: folder.file("tap"))
        let thread = try Thread(named: "tap") { [self] in
            guard let near = try? Self.accept(listener), let far = try? UnixSocket.connect(to: target, deadline: soon)
            else { return }
            relay(near, far)
        }
        threads.withLock { $0.append(thread) }
    }

    var address: String { "swtpm:path=\(folder.file("tap"))" }

    func bytes() -> [UInt8] { copy.withLock { $0 } }

    func contains(_ needle: [UInt8]) -> Bool {
        let bytes = bytes()
        guard bytes.count >= needle.count else { return false }
        return (0...bytes.count - needle.count).contains { start in
            bytes[start] == needle[0] && bytes[start..<start + needle.count].elementsEqual(needle)
        }
    }

    private static func accept(_ listener: UnixSocket) throws -> FileDescriptor {
        try listener.descriptor.wait(for: .readable, deadline: soon)
        return FileDescriptor(owning: Glibc.accept(listener.descriptor.number, nil, nil))
    }

    private func relay(_ near: FileDescriptor, _ far: UnixSocket) {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let far = far.descriptor
        while true {
            var handles = [near, far].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&handles, 2, CInt(clamping: patience)) > 0 else { return }
            for (index, (from, to)) in [(near, far), (far, near)].enumerated() where handles[index].revents != 0 {
                let count = unsafe read(from.number, &buffer, buffer.count)
                guard count > 0 else { return }
                copy.withLock { $0 += buffer.prefix(count) }
                guard unsafe write(to.number, buffer, count) == count else { return }
            }
        }
    }
}
