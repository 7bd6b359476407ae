import AppleCompat
import Foundation
import Glibc
import Testing

/// Functions of Apple's libraries that Linux lacks.
@Suite("Functions that only Apple's libraries have")
struct FunctionTests {
    @Test("Memory is compared as a whole")
    func comparison() {
        let (a, b) = ([UInt8]("secret".utf8), [UInt8]("secreT".utf8))
        #expect(unsafe timingsafe_bcmp(a, a, a.count) == 0)
        #expect(unsafe timingsafe_bcmp(a, b, a.count) != 0)
        #expect(unsafe timingsafe_bcmp(a, b, 5) == 0)
        #expect(timingsafe_bcmp(nil, nil, 0) == 0)
        #expect(unsafe timingsafe_bcmp(a, nil, 1) != 0)
    }

    @Test("Memory is set, and never beyond its size")
    func setting() {
        var memory = [UInt8](repeating: 1, count: 8)
        #expect(unsafe memset_s(&memory, 8, 0, 4) == 0)
        #expect(memory == [0, 0, 0, 0, 1, 1, 1, 1])
        #expect(unsafe memset_s(&memory, 8, 7, 8) == 0)
        #expect(memory == [UInt8](repeating: 7, count: 8))
        #expect(unsafe memset_s(&memory, 4, 0, 8) == EOVERFLOW)
        #expect(memory == [0, 0, 0, 0, 7, 7, 7, 7])
        #expect(memset_s(nil, 8, 0, 8) == EINVAL)
        #expect(unsafe memset_s(&memory, 8, 0, -1) == EINVAL)
    }

    @Test("An autorelease pool gives what its body gives, and throws what it throws")
    func pools() throws {
        struct Failure: Error {}
        #expect(autoreleasepool { 42 } == 42)
        #expect(throws: Failure.self) { try autoreleasepool { throw Failure() } }
    }

    @Test("An exception says what it is, and raised it ends the program")
    func exceptions() async {
        let exception = NSException(name: .invalidArgumentException, reason: "why", userInfo: ["a": 1])
        #expect(exception.name == .invalidArgumentException)
        #expect(exception.reason == "why")
        #expect(exception.userInfo?["a"] as? Int == 1)
        await #expect(processExitsWith: .failure) {
            NSException(name: .genericException, reason: nil).raise()
        }
    }
}
