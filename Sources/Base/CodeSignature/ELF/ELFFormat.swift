import LinuxSystem

/// How an ELF file encodes its structures: the size of an address, 32 or 64 bits, and the byte order (System V ABI,
/// "ELF Header"). The machine does not matter.
struct ELFFormat: Hashable, Sendable {
    let is64Bit: Bool
    let isBigEndian: Bool

    /// Reads `e_ident`; nil when the bytes are not from an ELF file, or name a class that does not exist.
    init?(identification bytes: Span<UInt8>) {
        guard bytes.count >= Self.identificationSize, bytes[0] == 0x7F, bytes[1] == UInt8(ascii: "E"),
            bytes[2] == UInt8(ascii: "L"), bytes[3] == UInt8(ascii: "F"),
            (1...2).contains(bytes[4]), (1...2).contains(bytes[5]), bytes[6] == 1
        else { return nil }
        is64Bit = bytes[4] == 2
        isBigEndian = bytes[5] == 2
    }

    static let identificationSize = 16

    /// The size of `Elf_Ehdr`, `Elf_Phdr` and `Elf_Shdr` in bytes.
    var headerSize: Int { is64Bit ? 64 : 52 }
    var segmentSize: Int { is64Bit ? 56 : 32 }
    var sectionSize: Int { is64Bit ? 64 : 40 }
    /// The size of an address or an offset in bytes.
    var addressSize: Int { is64Bit ? 8 : 4 }

    /// Reads an integer of a structure. The caller has checked that the bytes are there.
    func integer<Integer: FixedWidthInteger>(_: Integer.Type, in bytes: Span<UInt8>, at offset: Int) -> Integer {
        let value = bytes.littleEndian(Integer.self, at: offset)
        return isBigEndian ? value.byteSwapped : value
    }

    /// Reads an address or offset of a structure. Its place depends on the class of the file.
    func address(in bytes: Span<UInt8>, at place: ELFPlace) -> UInt64 {
        is64Bit
            ? integer(UInt64.self, in: bytes, at: place.in64)
            : UInt64(integer(UInt32.self, in: bytes, at: place.in32))
    }

    /// Writes an integer into a structure.
    func write<Integer: FixedWidthInteger>(_ value: Integer, into bytes: inout [UInt8], at offset: Int) {
        let size = MemoryLayout<Integer>.size
        for index in 0..<size {
            let shift = 8 * (isBigEndian ? size - 1 - index : index)
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> Integer(shift))
        }
    }

    /// Writes an address or offset. The caller has checked that it fits.
    func write(address: UInt64, into bytes: inout [UInt8], at place: ELFPlace) {
        if is64Bit {
            write(address, into: &bytes, at: place.in64)
        } else {
            write(UInt32(truncatingIfNeeded: address), into: &bytes, at: place.in32)
        }
    }
}

/// The place of a field in the structure of a 32-bit and of a 64-bit file.
struct ELFPlace: Sendable {
    let in32: Int
    let in64: Int

    init(_ in32: Int, _ in64: Int) { (self.in32, self.in64) = (in32, in64) }

    func offset(_ format: ELFFormat) -> Int { format.is64Bit ? in64 : in32 }
}
