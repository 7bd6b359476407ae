import AppleCompat
import Foundation
import Testing

@Suite("Names of errors that only Apple's Foundation has") struct ErrorNameTests {
    @Test("They have Apple's values")
    func values() {
        let error = NSError(
            domain: NSCocoaErrorDomain, code: NSValidationErrorMaximum,
            userInfo: [NSLocalizedFailureErrorKey: "It was not kept."])
        #expect(error.code == 2047)
        #expect(error.userInfo["NSLocalizedFailure"] as? String == "It was not kept.")
    }
}
