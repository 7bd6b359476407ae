import Glibc

/// A wish of the runner of the tests to the programs that it starts. A release build hears nothing of it.
///
/// Programs that a program of the project starts hear it too, although their environment is empty otherwise.
package enum TestSwitch {
    #if DEBUG
        private static let variable = "KEYCHAIN_TEST_PASSCODES"
        /// Whether a guess at a passcode costs as little as possible. Thousands of enclaves that tests start would
        /// spend a fifth of all their processors' time on it.
        package static let cheapPasscodes = unsafe getenv(variable).map { unsafe String(cString: $0) } == "cheap"
        static let environment = cheapPasscodes ? ["\(variable)=cheap"] : []
    #else
        package static let cheapPasscodes = false
        static let environment: [String] = []
    #endif
}
