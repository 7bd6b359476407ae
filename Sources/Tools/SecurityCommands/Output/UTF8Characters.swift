import LinuxSystem

/// The characters of well-formed UTF-8 that may be secret, and so is looked at where it lies.
extension Span<UInt8> {
    /// Visits each character with its bytes, until `body` says that it has seen enough.
    func visitCharacters(_ body: (Unicode.Scalar, Span<UInt8>) -> Bool) {
        var offset = 0
        while offset < count {
            let length = self[offset] < 0x80 ? 1 : self[offset] < 0xE0 ? 2 : self[offset] < 0xF0 ? 3 : 4
            guard offset + length <= count else { return }
            let bytes = extracting(offset..<(offset + length))
            guard body(Unicode.Scalar(utf8: bytes) ?? "\u{FFFD}", bytes) else { return }
            offset += length
        }
    }
}

extension Unicode.Scalar {
    /// The character of one to four bytes of well-formed UTF-8.
    fileprivate init?(utf8 bytes: Span<UInt8>) {
        guard bytes.count > 1 else {
            self.init(bytes[0])
            return
        }
        var value = UInt32(bytes[0]) & (0xFF >> UInt32(bytes.count + 1))
        for index in 1..<bytes.count { value = value << 6 | UInt32(bytes[index] & 0x3F) }
        self.init(value)
    }
}
