import DER
import LinuxSystem

/// The kinds of entries that KWallet has, with their values as Qt writes them (QDataStream).
///
///     password = text
///     map      = count *(text text)
///     text     = size UTF-16, the highest byte first; the size of none is 2^32 - 1
enum WalletEntry: Int32 {
    case password = 1, stream, map

    /// The name that KWallet gives it where it keeps its entries in a Secret Service itself.
    var name: String {
        switch self {
        case .password: "password"
        case .stream: "base64"
        case .map: "map"
        }
    }

    /// The value that programs of the Secret Service see: a text, a map as JSON, or bytes in Base64. Nil for one that
    /// is none of its kind.
    func value(_ raw: SecretBytes) -> SecretBytes? {
        let value = SecretBuffer(capacity: raw.count + 16)
        var reader = KeyringReader(raw)
        do throws(KeyringReader.Cut) {
            switch self {
            case .stream: raw.withSpan { value.append(base64: $0) }
            case .password: guard Self.append(try reader.secret(), to: value) else { return nil }
            case .map: guard try Self.append(&reader, to: value) else { return nil }
            }
        } catch { return nil }
        return self == .stream || reader.isAtEnd ? value.finish() : nil
    }

    private static func append(
        _ map: inout KeyringReader, to value: SecretBuffer
    ) throws(KeyringReader.Cut) -> Bool {
        value.append(UInt8(ascii: "{"))
        for index in 0..<(try map.number()) {
            if index > 0 { value.append(UInt8(ascii: ",")) }
            for mark in [UInt8(ascii: ":"), nil] {
                value.append(UInt8(ascii: "\""))
                guard append(try map.secret(), to: value, isJSON: true) else { return false }
                value.append(UInt8(ascii: "\""))
                if let mark { value.append(mark) }
            }
        }
        value.append(UInt8(ascii: "}"))
        return true
    }

    /// Appends UTF-16 as UTF-8, escaped for a string of JSON where it goes into one; false for what is no text.
    private static func append(_ text: SecretBytes, to value: SecretBuffer, isJSON: Bool = false) -> Bool {
        text.withSpan { bytes in
            guard bytes.count % 2 == 0 else { return false }
            var high: UInt32?
            for index in stride(from: 0, to: bytes.count, by: 2) {
                let unit = UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
                switch (high, unit) {
                case (nil, 0xD800..<0xDC00):
                    high = unit
                    continue
                case (nil, _): high = nil
                case (_, 0xDC00..<0xE000): break
                default: return false
                }
                let code = high.map { 0x10000 + ($0 - 0xD800) << 10 + (unit - 0xDC00) } ?? unit
                guard let scalar = Unicode.Scalar(code) else { return false }
                append(scalar, to: value, isJSON: isJSON)
                high = nil
            }
            return high == nil
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to value: SecretBuffer, isJSON: Bool) {
        if isJSON, scalar == "\"" || scalar == "\\" {
            value.append(UInt8(ascii: "\\"))
        } else if isJSON, scalar.value < 0x20 {
            for byte in "\\u00".utf8 { value.append(byte) }
            let digits = Array("0123456789abcdef".utf8)
            for digit in [scalar.value >> 4, scalar.value & 15] { value.append(digits[Int(digit)]) }
            return
        }
        for byte in UTF8.encode(scalar) ?? .init() { value.append(byte) }
    }
}
