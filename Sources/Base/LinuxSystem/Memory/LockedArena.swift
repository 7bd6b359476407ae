import CLinux
import Glibc

/// A block of locked memory: its address and its capacity.
@unsafe @frozen @usableFromInline struct LockedBlock {
    @usableFromInline let start: UnsafeMutablePointer<UInt8>
    @usableFromInline let capacity: Int

    /// A block without memory. Its owner allocates some with the first byte.
    static var empty: LockedBlock { unsafe LockedBlock(start: UnsafeMutablePointer(bitPattern: 1)!, capacity: 0) }
}

/// Allocates memory for secrets. It is excluded from core dumps, zero in a forked child, and locked in RAM where the
/// lock limit allows.
///
/// Small blocks of a few sizes are cut from larger mappings: a mapping per secret costs 10 µs, a reused block 40 ns. A
/// block larger than the largest size has its own mapping. A block is wiped when it is returned, so that every
/// allocated block is zero.
@safe enum LockedArena {
    fileprivate static let classes = [128, 512, 2048, 8192, 65536]
    fileprivate static let chunk = 65536
    /// The number of returned blocks of the largest size that are kept; further ones are unmapped.
    private static let mostChunks = 16
    /// A forked child begins with an empty list, because another thread may have been changing the list at the fork.
    /// The mark of the fork lies in the first block.
    private static let blocks: ProcessLocal<FreeBlocks> = {
        let start = unsafe map(chunk)
        let first = unsafe LockedBlock(start: start, capacity: classes[0])
        return unsafe ProcessLocal(FreeBlocks(UInt(bitPattern: start), from: classes[0]), in: first)
    }()

    static func take(_ size: Int) -> LockedBlock {
        guard let index = classes.firstIndex(where: { $0 >= size }) else {
            let capacity = (size + 4095) & ~4095
            return unsafe LockedBlock(start: map(capacity), capacity: capacity)
        }
        let address = withBlocks { $0.take(index) }
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
        // The largest blocks are mappings of their own.
        let isKept = withBlocks { $0.put(address, index, atMost: unsafe block.capacity == chunk ? mostChunks : .max) }
        if !isKept { unsafe munmap(block.start, block.capacity) }
    }

    private static func withBlocks<Result>(_ body: (inout FreeBlocks) -> Result) -> Result {
        blocks.withValue(inChild: { $0 = FreeBlocks() }, body)
    }

    /// Memory for a secret is not optional: without it the process ends, as Swift does without heap memory.
    fileprivate static func map(_ size: Int) -> UnsafeMutablePointer<UInt8> {
        var locked: CInt = 0
        guard let start = unsafe clinux_map_secret(size, &locked) else { fatalError("out of memory for secrets") }
        return unsafe start.assumingMemoryBound(to: UInt8.self)
    }
}

/// The returned blocks, a chain for each size, and the rest of the mapping from which new ones are cut. Only the blocks
/// in use and the links of the chains are touched, so that a short program has few pages.
private struct FreeBlocks {
    /// The address of the first block of each chain, 0 for none; each block contains the address of the next one.
    private var chains = InlineArray<5, UInt>(repeating: 0)
    private var (next, end): (UInt, UInt) = (0, 0)
    /// The number of blocks of the largest size.
    private var chunks = 0

    init() {}

    /// Begins with a mapping whose first bytes are in use.
    init(_ start: UInt, from used: Int) { (next, end) = (start + UInt(used), start + UInt(LockedArena.chunk)) }

    mutating func take(_ index: Int) -> UInt {
        let block = chains[index]
        guard block != 0 else { return cut(UInt(LockedArena.classes[index])) }
        let link = unsafe Self.link(block)
        if LockedArena.classes[index] == LockedArena.chunk { chunks -= 1 }
        unsafe chains[index] = link.pointee
        unsafe link.pointee = 0
        return block
    }

    /// Keeps a block; false when there are enough blocks of the largest size.
    mutating func put(_ block: UInt, _ index: Int, atMost most: Int) -> Bool {
        if LockedArena.classes[index] == LockedArena.chunk {
            guard chunks < most else { return false }
            chunks += 1
        }
        unsafe Self.link(block).pointee = chains[index]
        chains[index] = block
        return true
    }

    /// A remainder that is too short stays unused.
    private mutating func cut(_ size: UInt) -> UInt {
        if end - next < size {
            let start = unsafe UInt(bitPattern: LockedArena.map(LockedArena.chunk))
            guard size < UInt(LockedArena.chunk) else { return start }
            (next, end) = (start, start + UInt(LockedArena.chunk))
        }
        defer { next += size }
        return next
    }

    private static func link(_ block: UInt) -> UnsafeMutablePointer<UInt> {
        unsafe UnsafeMutablePointer(bitPattern: block)!
    }
}
