import CommandOptions
import KeychainModel

/// `error`: says what a status means. It exits with 1 always, as on macOS.
enum ErrorCommand {
    static let command = Command(
        "error", "Show what the given error codes mean.", synopsis: "code...",
        notes: ["A code is decimal, such as -25300, or hexadecimal, such as 0xFFFF9D2C. Exits with 1 always."],
        operands: 1...Int.max, hasOptions: false
    ) { arguments, session throws(CommandFailure) in
        var codes: [Int32] = []
        for word in arguments.operands {
            guard let code = parse(word.text) else { throw .usage("\"\(word.text)\" is not an error code") }
            codes.append(code)
        }
        showMeanings(codes, session)
        throw .shown
    }

    private static func parse(_ text: String) -> Int32? {
        guard text.hasPrefix("0x") || text.hasPrefix("0X") else {
            return Int32(text) ?? UInt32(text).map { Int32(bitPattern: $0) }
        }
        return UInt32(text.dropFirst(2), radix: 16).map { Int32(bitPattern: $0) }
    }

    private static func showMeanings(_ codes: [Int32], _ session: Session) {
        if session.writesJSON { return session.output.write(.array(codes.map(json))) }
        for code in codes {
            session.output.write("Error: 0x\(hex(code)) \(code) \(StatusMessages.message(for: code))\n")
        }
    }

    private static func json(_ code: Int32) -> JSONValue {
        .object([
            ("status", .number(Int64(code))), ("hex", .string("0x\(hex(code))")),
            ("name", StatusNames.name(of: code).map { .string($0) } ?? .null),
            ("message", .string(StatusMessages.message(for: code))),
        ])
    }

    private static func hex(_ code: Int32) -> String {
        let digits = String(UInt32(bitPattern: code), radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
