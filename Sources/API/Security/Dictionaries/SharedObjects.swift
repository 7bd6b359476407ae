internal import KeychainModel

/// Values that many results have, made once.
enum SharedObjects {
    /// The truth values are one object each, whoever makes them.
    static let yes = NSNumber(value: true)

    static func number(_ number: Int64) -> NSNumber {
        guard number == 0 || number == 1 else { return NSNumber(value: number) }
        return numbers[Int(number)]
    }

    /// One that says the protection class and no more.
    static func accessControl(_ accessibility: Accessibility) -> SecAccessControl {
        accessControls[Int(accessibility.rawValue) - 1]
    }

    private static let numbers = [NSNumber(value: 0 as Int64), NSNumber(value: 1 as Int64)]
    private static let accessControls = Accessibility.allCases.map {
        SecAccessControl(protection: $0.code, flags: nil)
    }
}
