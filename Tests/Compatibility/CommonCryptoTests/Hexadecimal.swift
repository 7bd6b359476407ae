/// Bytes written as in the published vectors.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
