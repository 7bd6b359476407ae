/// Makes events of the bytes that a terminal sends.
///
/// A control sequence that is not known is swallowed as a whole, so that no letter of it is taken for a key. The parser
/// reads byte by byte: it does not matter where the input is cut.
package struct InputParser {
    /// The most bytes of a paste.
    package static let mostPasted = 4096
    private static let mostParameters = 64
    /// Seconds after which a string without an end was none, and in which a paste without an end has stopped.
    private static let longest = 1.0

    private enum State {
        case ground
        case character([UInt8], missing: Int)
        case escape
        case sequence([UInt8])
        /// A sequence of the form `ESC O x`.
        case single
        /// So many bytes of an old report follow.
        case skipping(Int)
        /// A string that ends with BEL or ESC \; whether the last byte was ESC.
        case string(endsNext: Bool)
        case paste(Paste)
    }

    private struct Paste {
        var bytes: [UInt8] = []
        var isTooLong = false
        /// How much of the ending mark has come.
        var matched = 0
    }

    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private var state = State.ground
    /// Whether Escape was told alone: what follows may still be the rest of a slow sequence.
    private var toldEscape = false
    /// When the last bytes came, and the first ones of the string that is open.
    private var lastTime = -Double.infinity
    private var stringTime: Double?
    /// Whether the last bytes gave no event, or ended inside of something.
    private(set) package var isUnclear = false

    package init() {}

    /// Whether the last byte was an Escape that may be a key by itself.
    package var awaitsEscape: Bool { if case .escape = state { true } else { false } }

    /// Takes the Escape for a key: nothing has followed for a while.
    package mutating func finishEscape() -> InputEvent? {
        guard awaitsEscape else { return nil }
        (state, toldEscape) = (.ground, true)
        return .key(.escape)
    }

    /// Takes the bytes that came together.
    ///
    /// - Parameter time: in seconds, of a clock that is never set.
    package mutating func take(_ bytes: Span<UInt8>, at time: Double) -> [InputEvent] {
        giveUp(before: bytes, time)
        var events: [InputEvent] = []
        for place in bytes.indices {
            if let event = take(bytes[place]) { events.append(event) }
        }
        lastTime = time
        if case .string = state { stringTime = stringTime ?? time } else { stringTime = nil }
        isUnclear = !awaitsEscape && (events.isEmpty || !isBetween)
        return events
    }

    /// Leaves what has no end. The rest of a paste must not become keys: it never comes as one Control-C by itself.
    private mutating func giveUp(before bytes: Span<UInt8>, _ time: Double) {
        switch state {
        case .string where time - (stringTime ?? time) >= Self.longest: state = .ground
        case .paste where bytes.count == 1 && bytes[0] == 0x03 && time - lastTime >= Self.longest: state = .ground
        default: break
        }
    }

    /// Notes that nothing has come.
    package mutating func clear() { isUnclear = false }

    private var isBetween: Bool { if case .ground = state { true } else { false } }

    /// Takes the next byte.
    package mutating func take(_ byte: UInt8) -> InputEvent? {
        switch state {
        case .ground: return ground(byte)
        case .character(let bytes, let missing): return character(bytes + [byte], missing - 1)
        case .escape: return escape(byte)
        case .sequence(let bytes): return sequence(bytes, byte)
        case .single: return single(byte)
        case .skipping(let count):
            state = count > 1 ? .skipping(count - 1) : .ground
            return nil
        case .string where byte == 0x03:
            // No string has it, and a letter with Alt may have opened one by mistake.
            return restart(byte)
        case .string(let endsNext):
            let isOver = byte == 0x07 || byte == 0x18 || endsNext && byte == UInt8(ascii: "\\")
            state = isOver ? .ground : .string(endsNext: byte == 0x1B)
            if isOver { stringTime = nil }
            return nil
        case .paste(let paste): return self.paste(paste, byte)
        }
    }

    private mutating func restart(_ byte: UInt8) -> InputEvent? {
        state = .ground
        return ground(byte)
    }

    private mutating func ground(_ byte: UInt8) -> InputEvent? {
        let isRest = toldEscape
        toldEscape = false
        if isRest, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") { return escape(byte) }
        switch byte {
        case 0x1B: state = .escape
        case 0x09: return .key(.tab)
        case 0x0A, 0x0D: return .key(.enter)
        case 0x08, 0x7F: return .key(.backspace)
        case 0x01...0x1A: return .key(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x20..<0x7F: return .key(.character(Character(Unicode.Scalar(byte))))
        case 0xC2...0xDF: state = .character([byte], missing: 1)
        case 0xE0...0xEF: state = .character([byte], missing: 2)
        case 0xF0...0xF4: state = .character([byte], missing: 3)
        default: break
        }
        return nil
    }

    private mutating func character(_ bytes: [UInt8], _ missing: Int) -> InputEvent? {
        guard let last = bytes.last, (0x80...0xBF).contains(last) else {
            // The character was cut off: its bytes are dropped, and this one begins something.
            state = .ground
            return bytes.last.flatMap { ground($0) }
        }
        guard missing == 0 else {
            state = .character(bytes, missing: missing)
            return nil
        }
        state = .ground
        guard let text = String(validating: bytes, as: UTF8.self), let character = text.first,
            !text.unicodeScalars.contains(where: { $0.value < 0xA0 })
        else { return nil }
        return .key(.character(character))
    }

    private mutating func escape(_ byte: UInt8) -> InputEvent? {
        switch byte {
        case 0x1B: return .key(.escape)
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .single
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            state = .string(endsNext: false)
        // A letter with Alt, which means nothing here.
        default: state = byte < 0x20 || byte >= 0x30 ? .ground : .escape
        }
        return nil
    }

    private mutating func single(_ byte: UInt8) -> InputEvent? {
        state = .ground
        return Self.keys[byte].map { .key($0) }
    }

    private mutating func sequence(_ bytes: [UInt8], _ byte: UInt8) -> InputEvent? {
        if byte == 0x1B {
            state = .escape
            return nil
        }
        guard (0x40...0x7E).contains(byte), !(bytes.isEmpty && byte == UInt8(ascii: "[")) else {
            // Parameters; a control character inside is ignored, as terminals do. The Linux console's function keys
            // have a second bracket.
            state = .sequence(bytes.count < Self.mostParameters ? bytes + [byte] : bytes)
            return nil
        }
        state = .ground
        return finished(bytes, byte)
    }

    private mutating func finished(_ bytes: [UInt8], _ final: UInt8) -> InputEvent? {
        if final == UInt8(ascii: "M"), bytes.isEmpty {
            state = .skipping(3)
            return nil
        }
        if bytes.first == UInt8(ascii: "<") { return Self.mouse(bytes.dropFirst(), final) }
        let parameters = Self.numbers(bytes[...])
        switch (final, parameters.first ?? 0) {
        case (UInt8(ascii: "~"), 200): state = .paste(Paste())
        case (UInt8(ascii: "~"), let number): return Self.numbered[number].map { .key($0) }
        case (UInt8(ascii: "I"), _): return .focus(true)
        case (UInt8(ascii: "O"), _): return .focus(false)
        case (UInt8(ascii: "R"), _):
            guard parameters.count == 2, parameters[0] > 0, parameters[1] > 0 else { return nil }
            return .cursor(row: parameters[0] - 1, column: parameters[1] - 1)
        default:
            guard bytes.first != UInt8(ascii: "["), bytes.first != UInt8(ascii: "?") else { return nil }
            return Self.keys[final].map { .key($0) }
        }
        return nil
    }

    private mutating func paste(_ paste: Paste, _ byte: UInt8) -> InputEvent? {
        var paste = paste
        paste.matched = byte == Self.pasteEnd[paste.matched] ? paste.matched + 1 : byte == 0x1B ? 1 : 0
        if paste.bytes.count < Self.mostPasted + Self.pasteEnd.count {
            paste.bytes.append(byte)
        } else {
            paste.isTooLong = true
        }
        guard paste.matched == Self.pasteEnd.count else {
            state = .paste(paste)
            return nil
        }
        state = .ground
        if paste.isTooLong { return .pasteTooLong }
        let text = String(decoding: paste.bytes.dropLast(Self.pasteEnd.count), as: UTF8.self)
        return .paste(
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })))
    }
}

/// The tables of sequences.
extension InputParser {
    private static let keys: [UInt8: InputEvent.Key] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "F"): .end, UInt8(ascii: "H"): .home, UInt8(ascii: "M"): .enter, UInt8(ascii: "Z"): .backTab,
    ]

    private static let numbered: [Int: InputEvent.Key] = [
        1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    ]

    /// Numbers between semicolons; none for anything else.
    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int] {
        let words = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        var numbers: [Int] = []
        for word in words {
            guard word.count < 6, word.allSatisfy({ (0x30...0x39).contains($0) }) else { return [] }
            numbers.append(word.reduce(0) { $0 * 10 + Int($1) - 0x30 })
        }
        return numbers
    }

    /// A report of the form `< button ; column ; row M` or `m`.
    private static func mouse(_ bytes: ArraySlice<UInt8>, _ final: UInt8) -> InputEvent? {
        let numbers = numbers(bytes)
        let isPress = final == UInt8(ascii: "M")
        guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0, isPress || final == UInt8(ascii: "m") else {
            return nil
        }
        // Shift, Alt and Control are not looked at.
        let action: InputEvent.Mouse.Action? =
            switch numbers[0] & ~0b11100 {
            case 0: isPress ? .press : .release
            case 32: .drag
            case 64: .wheelUp
            case 65: .wheelDown
            default: nil
            }
        return action.map { .mouse(.init($0, row: numbers[2] - 1, column: numbers[1] - 1)) }
    }
}
