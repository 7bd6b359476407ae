import Glibc
package import LinuxSystem

/// A random pattern to look for in the memory of this process. The original lies in pages that are not searched.
@safe package final class Needle {
    package let count: Int
    private let page: UnsafeMutableRawPointer
    private let buffer: UnsafeMutableRawPointer
    private static let pageSize = 4096
    private static let bufferSize = 1 << 20

    /// Makes a random one, long enough not to be found by chance.
    package init(count: Int = 48) {
        self.count = count
        unsafe page = Self.map(Self.pageSize)
        unsafe buffer = Self.map(Self.bufferSize + count)
        copy { Randomness.fill(&$0) }
    }

    deinit {
        unsafe munmap(page, Self.pageSize)
        unsafe munmap(buffer, Self.bufferSize + count)
    }

    /// Lends the pattern.
    package func copy(_ body: (inout MutableSpan<UInt8>) -> Void) {
        var span = unsafe MutableSpan<UInt8>(
            _unsafeStart: page.assumingMemoryBound(to: UInt8.self), count: count)
        body(&span)
    }

    /// A new secret with the pattern in it.
    package func secret() -> SecretBytes {
        let secret = SecretBytes(count: count)
        secret.withMutableSpan { target in
            copy { source in for index in 0..<count { target[index] = source[index] } }
        }
        return secret
    }

    /// How often the pattern is in the writable memory of this process, this object's own not counted.
    package func occurrences() throws -> Int {
        let memory = try FileDescriptor.open("/proc/self/mem", O_RDONLY)
        return try Self.writableRanges().reduce(0) { total, range in total + count(in: range, of: memory) }
    }

    private func count(in range: Range<UInt>, of memory: FileDescriptor) -> Int {
        var (found, position) = (0, range.lowerBound)
        while position < range.upperBound {
            let wanted = min(Int(range.upperBound - position), Self.bufferSize + count - 1)
            let got = unsafe pread(memory.number, buffer, wanted, Int(position))
            if got < count { break }
            found += matches(in: got, startingAt: position)
            position += UInt(min(got, Self.bufferSize))
        }
        return found
    }

    private func matches(in size: Int, startingAt address: UInt) -> Int {
        let own = unsafe [UInt(bitPattern: page), UInt(bitPattern: buffer)]
        var (found, offset) = (0, 0)
        let first = unsafe CInt(page.load(as: UInt8.self))
        while offset <= size - count,
            let hit = unsafe memchr(buffer + offset, first, size - count + 1 - offset)
        {
            let place = unsafe hit - UnsafeMutableRawPointer(buffer)
            let isOwn =
                address + UInt(place) == own[0]
                || (own[1]..<own[1] + UInt(Self.bufferSize)).contains(address + UInt(place))
            if unsafe !isOwn && memcmp(hit, page, count) == 0 { found += 1 }
            offset = place + 1
        }
        return found
    }

    private static func writableRanges() throws -> [Range<UInt>] {
        let file = try FileDescriptor.open("/proc/self/maps", O_RDONLY)
        return try file.readText(4 << 20).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return fields[1].hasPrefix("rw") && bounds.count == 2 ? bounds[0]..<bounds[1] : nil
        }
    }

    private static func map(_ size: Int) -> UnsafeMutableRawPointer {
        unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    }
}
