/// Values that many items share, each kept once and named by a number.
struct InternedValues<Value: Hashable> {
    private(set) var all: [Value] = []
    private var numbers: [Value: UInt32] = [:]

    /// The number of a value.
    mutating func number(of value: Value) -> UInt32 {
        if let known = numbers[value] { return known }
        let next = UInt32(all.count)
        all.append(value)
        numbers[value] = next
        return next
    }

    func value(of number: UInt32) -> Value { all[Int(number)] }
}
