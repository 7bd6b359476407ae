import CLinux
import Glibc

/// A piece of locked memory: its address and how much of it may be used.
@unsafe @frozen @usableFromInline struct LockedBlock {
    @usableFromInline let start: UnsafeMutablePointer<UInt8>
    @usableFromInline let capacity: Int

    /// No memory at all; whoever has it takes some when the first byte comes.
    static var empty: LockedBlock { unsafe LockedBlock(start: UnsafeMutablePointer(bitPattern: 1)!, capacity: 0) }
}

/// Hands out memory for secrets: left out of core dumps, zero in a forked child, in RAM where the lock limit allows.
///
/// Small blocks come from size classes carved out of larger mappings, because a mapping per secret costs 10 µs and a block
/// from a free list 40 ns; what is larger than the largest class has its own mapping. A block is wiped when it comes back,
/// so every block handed out is zero.
@safe enum LockedArena {
    private static let classes = [128, 512, 2048, 8192, 65536]
    private static let chunk = 65536
    /// By size class. A forked child begins with none: another thread may have been changing the lists when it was forked.
    private static let freeLists = ProcessLocal(none)
    private static var none: [[UInt]] { Array(repeating: [], count: classes.count) }

    static func take(_ size: Int) -> LockedBlock {
        guard let index = classes.firstIndex(where: { $0 >= size }) else {
            let capacity = (size + 4095) & ~4095
            return unsafe LockedBlock(start: map(capacity), capacity: capacity)
        }
        let address = withFreeLists { lists in
            if lists[index].isEmpty { lists[index] = carve(classes[index]) }
            return lists[index].removeLast()
        }
        return unsafe LockedBlock(start: UnsafeMutablePointer(bitPattern: address)!, capacity: classes[index])
    }

    static func giveBack(_ block: LockedBlock, used: Int) {
        guard unsafe block.capacity > 0 else { return }
        unsafe clinux_wipe(block.start, used)
        guard let index = unsafe classes.firstIndex(of: block.capacity) else {
            unsafe munmap(block.start, block.capacity)
            return
        }
        let address = unsafe UInt(bitPattern: block.start)
        withFreeLists { $0[index].append(address) }
    }

    private static func withFreeLists<Result>(_ body: (inout [[UInt]]) -> Result) -> Result {
        freeLists.withValue(inChild: { $0 = none }, body)
    }

    private static func carve(_ size: Int) -> [UInt] {
        let start = unsafe UInt(bitPattern: map(chunk))
        return stride(from: 0, to: chunk, by: size).map { start + UInt($0) }
    }

    /// Memory for a secret is not optional: without it the process cannot go on, as Swift cannot without heap.
    private static func map(_ size: Int) -> UnsafeMutablePointer<UInt8> {
        var locked: CInt = 0
        guard let start = unsafe clinux_map_secret(size, &locked) else { fatalError("out of memory for secrets") }
        return unsafe start.assumingMemoryBound(to: UInt8.self)
    }
}
