import KeychainModel
import LinuxSystem

extension SecretBuffer {
    /// Appends several texts with their number before them.
    func append(texts: [String]) {
        append(littleEndian: UInt16(truncatingIfNeeded: texts.count))
        for text in texts { append(text: text) }
    }
}

extension WireReader {
    /// A text that names something.
    mutating func name() throws(Refusal) -> String {
        let text = try text()
        guard text.utf8.count <= WireLimits.nameBytes else { throw .malformed("the length of a name") }
        return text
    }

    mutating func texts(atMost most: Int) throws(Refusal) -> [String] {
        let count = Int(try integer(UInt16.self))
        guard count <= most else { throw .malformed("the number of names") }
        var texts: [String] = []
        for _ in 0..<count { texts.append(try name()) }
        return texts
    }

    mutating func optionalClass() throws(Refusal) -> ItemClass? {
        let code = try integer(UInt8.self)
        guard let itemClass = ItemClass(rawValue: code) else {
            guard code == 0 else { throw .malformed("a class") }
            return nil
        }
        return itemClass
    }
}
