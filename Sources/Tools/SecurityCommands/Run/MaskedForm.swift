import LinuxSystem

/// A text that must not be shown, and the name that stands in its place.
///
/// It is a pattern: each of its units is written as itself or as one of its escapes (``WrittenByte``), and so each
/// mixture of them is found. Only as many places in a text are followed at once as there are readings of its bytes.
struct MaskedForm {
    enum Alphabet {
        /// A unit is a byte.
        case bytes
        /// A unit is four bits, a digit in either case.
        case hexadecimal
        /// A unit is six bits, a digit of either alphabet.
        case base64
    }

    let name: String
    let alphabet: Alphabet
    let units: SecretBytes
    /// The bits of the first unit that belong to the value.
    var firstBits: UInt8 = 0xFF
    /// The same of the last one.
    var lastBits: UInt8 = 0xFF

    enum Match {
        case none
        /// All bytes that there are so far.
        case beginning
        /// The whole form, in so many bytes; more bytes may make the last unit a longer escape.
        case whole(Int, mayGrow: Bool)
    }

    /// A place in the text and in the form, with the number of bytes that were passed over right before.
    private struct Place {
        let text, unit, passed: Int
    }

    /// Compares the form with the bytes at a place.
    func match(_ text: Span<UInt8>, at start: Int) -> Match {
        units.withSpan { units in
            var (places, whole, isCut) = ([Place(text: start, unit: 0, passed: 0)], Int?.none, false)
            // The place that is first in the text is read first: then no place is read twice.
            while let next = places.indices.min(by: { places[$0].text < places[$1].text }) {
                let place = places.remove(at: next)
                guard place.unit < units.count else {
                    whole = place.text
                    continue
                }
                guard place.text < text.count else {
                    isCut = true
                    continue
                }
                isCut = step(place, text, units, &places) || isCut
            }
            if let whole { return .whole(whole - start, mayGrow: isCut) }
            return isCut ? .beginning : .none
        }
    }

    /// Follows every reading of the bytes at a place.
    ///
    /// - Returns: whether more bytes could make another one.
    private func step(
        _ place: Place, _ text: Span<UInt8>, _ units: Span<UInt8>, _ places: inout [Place]
    ) -> Bool {
        let (readings, isCut) = WrittenByte.readings(text, at: place.text)
        for reading in readings where accepts(reading, at: place.unit, units) {
            Self.add(Place(text: place.text + reading.length, unit: place.unit + reading.count, passed: 0), to: &places)
        }
        guard place.unit > 0, place.passed < Self.mostPassed else { return isCut }
        let isBetweenBytes = place.unit % 2 == 0
        let (lengths, isGapCut) = WrittenByte.gaps(
            text, at: place.text, breaksLines: alphabet != .bytes,
            separates: alphabet == .hexadecimal && isBetweenBytes)
        for length in lengths {
            Self.add(Place(text: place.text + length, unit: place.unit, passed: place.passed + 1), to: &places)
        }
        return isCut || isGapCut
    }

    /// A carriage return and a line feed, or the two sequences around a colour. More in a row would hold back a stream.
    private static let mostPassed = 2
    /// A value of backslashes alone has more readings; they are followed in part.
    private static let mostPlaces = 64

    private static func add(_ place: Place, to places: inout [Place]) {
        let isThere = places.contains {
            $0.text == place.text && $0.unit == place.unit && $0.passed <= place.passed
        }
        if !isThere, places.count < mostPlaces { places.append(place) }
    }

    private func accepts(_ reading: WrittenByte, at unit: Int, _ units: Span<UInt8>) -> Bool {
        guard reading.count > 1 else { return accepts(reading.byte(at: 0), at: unit, units) }
        guard alphabet == .bytes, unit + reading.count <= units.count else { return false }
        return (0..<reading.count).allSatisfy { units[unit + $0] == reading.byte(at: $0) }
    }

    private func accepts(_ byte: UInt8, at unit: Int, _ units: Span<UInt8>) -> Bool {
        switch alphabet {
        case .bytes: return byte == units[unit]
        case .hexadecimal: return WrittenByte.hexDigit(byte) == units[unit]
        case .base64:
            guard let digit = WrittenByte.base64Digit(byte) else { return false }
            var bits: UInt8 = 0x3F
            if unit == 0 { bits &= firstBits }
            if unit == units.count - 1 { bits &= lastBits }
            return digit & bits == units[unit]
        }
    }

    /// The bytes that a unit may be written as, without an escape.
    func alternatives(at unit: Int) -> [UInt8] {
        units.withSpan { units in
            unit < units.count ? (0...UInt8.max).filter { accepts($0, at: unit, units) } : []
        }
    }
}
