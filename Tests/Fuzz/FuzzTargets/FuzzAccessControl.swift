import LinuxSystem

@testable import KeychainModel

/// Access controls as they are stored: what is read is written as the same, and no text that demands something is taken
/// for one that demands less.
func fuzzAccessControl(_ bytes: Span<UInt8>) {
    let text = bytes.array(0, bytes.count)
    guard let control = AccessControl(text) else { return }
    require(AccessControl(control.bytes) == control, "an access control is written as another one")
    require((control.flags != nil) == text.contains(UInt8(ascii: ";")), "demands were dropped, or made up")
    let constraint = AccessConstraint(flags: control.flags ?? 0)
    let (all, none): (AuthenticationFactors, AuthenticationFactors) = ([.passcode, .biometry], [])
    let isMetByNobody = constraint.isMet(by: none, enrolmentIsCurrent: true)
    require(!isMetByNobody || constraint.demands.isEmpty, "a demand is met by nothing")
    require(constraint.isUnderstood || !constraint.isMet(by: all, enrolmentIsCurrent: true), "an unknown demand is met")
    for factors in [AuthenticationFactors.passcode, .biometry]
    where constraint.isMet(by: factors, enrolmentIsCurrent: false) {
        require(constraint.isMet(by: all, enrolmentIsCurrent: true), "more that is shown is worth less")
    }
    require(control.hasConstraints || !constraint.isGuard, "a guard that counts for none")
    checkAdded(text, control, constraint)
}

/// An item is added with it only where every bit is understood.
private func checkAdded(_ text: [UInt8], _ control: AccessControl, _ constraint: AccessConstraint) {
    var request = ItemRequest(
        .add,
        query: FuzzSeeds.list([(.accessControl, .data(text)), (.account, .string("a")), (.valueData, .data([1]))]))
    request.itemClass = .genericPassword
    require(request.query.accessControl == control, "a list has another access control")
    require(verdict(request) != nil || constraint.isUnderstood, "an item is added under an unknown demand")
}

extension FuzzSeeds {
    static func ofAccessControl() -> [[UInt8]] {
        let flags: [UInt64?] = [
            nil, 0, 1, 2, 8, 16, 32, 1 << 14 | 3, 1 << 15 | 3, 1 << 30, 1 << 31, 1 << 48, 1 << 63, .max,
        ]
        return Accessibility.allCases.flatMap { accessibility in
            flags.map { AccessControl(accessibility, flags: $0).bytes }
        }
    }
}
