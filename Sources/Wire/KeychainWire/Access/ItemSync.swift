/// Whether an item goes to the other machines of its keychain's circle, and what keeps it here.
package enum ItemSync: UInt8, Sendable, CaseIterable {
    /// Nothing is said: the keychain belongs to no circle, and the item is not marked for one.
    case unsaid = 0
    case travels = 1
    /// It travels, and its last change is not in a batch yet.
    case waits = 2
    /// It is marked for other machines, and the keychain belongs to no circle.
    case hasNoCircle = 3
    case isNotMarked = 4
    /// Its protection class keeps it on this device.
    case isOfThisDevice = 5
    /// It is a key that the enclave sealed, or a copy of one.
    case isSealed = 6
    /// It opens after its user has authenticated, or for anchored programs alone.
    case isGuarded = 7
    /// It belongs to a unit, a token or a user of this machine, or its attributes are no item's elsewhere.
    case isOfThisMachine = 8
    /// It travels, and no program was seen on this machine with its access group.
    case hasNoProgram = 9
}
