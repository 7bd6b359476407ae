internal import KeychainModel

/// Values that many results share.
enum SharedObjects {
    /// Foundation has one object for each truth value.
    static let yes = NSNumber(value: true)

    static func number(_ number: Int64) -> NSNumber {
        guard number == 0 || number == 1 else { return NSNumber(value: number) }
        return numbers[Int(number)]
    }

    /// An access control with a protection class alone.
    static func accessControl(_ accessibility: Accessibility) -> SecAccessControl {
        accessControls[Int(accessibility.rawValue) - 1]
    }

    private static let numbers = [NSNumber(value: 0 as Int64), NSNumber(value: 1 as Int64)]
    private static let accessControls = Accessibility.allCases.map {
        SecAccessControl(protection: $0.code, flags: nil)
    }
}
