import KeychainWire
import LinuxSystem

/// How the process behind a connection shows that it asks itself, and not somebody who wrote into the connection before
/// the process executed what it was identified as.
///
/// It gets a number once it is identified, and sends that back. Frames sent earlier cannot have the number, and only
/// the process that connected can send it (``ClientSession/peer``).
struct IdentificationResult {
    private(set) var isDone = false
    private var number: [UInt8] = []

    /// A new number, in place of an earlier one.
    mutating func begin() -> [UInt8] {
        number = Randomness.bytes(IntroductionRequest.numberSize)
        return number
    }

    /// Whether it is the number that was given; it is asked for once.
    mutating func finish(_ answer: [UInt8]) -> Bool {
        isDone = !number.isEmpty && answer == number
        number = []
        return isDone
    }
}
