extension SplitMix64 {
    /// The bytes with one to four alterations: a bit, a byte, a piece less, a piece twice, an end too early.
    package mutating func mutate(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &self) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            let piece = place..<min(bytes.count, place + Int.random(in: 1...8, using: &self))
            switch Int.random(in: 0..<6, using: &self) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &self)
            case 2: bytes[place] = [0, 0x7F, 0x80, 0x81, 0x84, 0xFF].randomElement(using: &self) ?? 0
            case 3: bytes.removeSubrange(piece)
            case 4: bytes.insert(contentsOf: Array(bytes[piece]), at: place)
            default: bytes.removeLast(bytes.count - place)
            }
        }
        return bytes
    }
}
