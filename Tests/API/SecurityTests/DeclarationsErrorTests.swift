import Security
import TestSupport
import Testing

@Suite struct DeclarationsErrorTests {
    /// One `public let` of the error files, with the doc comment above it.
    struct Declaration: Sendable, CustomTestStringConvertible {
        let name: String
        let status: OSStatus
        let comment: String
        var testDescription: String { name }
    }

    /// All of them, read from the source: a new constant without a message fails here.
    static let declarations: [Declaration] = {
        let folder = URL(fileURLWithPath: #filePath, isDirectory: false)
            .deletingLastPathComponent().appendingPathComponent("../../../Sources/API/Security/Errors").standardized
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.flatMap { file in
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return text.matches(of: /\/\/\/ (.+)\npublic let (err\w+): OSStatus = (-?\d+)/).compactMap { match in
                OSStatus(match.3).map { Declaration(name: String(match.2), status: $0, comment: String(match.1)) }
            }
        }
    }()

    private func message(_ status: OSStatus) -> String? {
        SecCopyErrorMessageString(status, nil) as String?
    }

    @Test(
        "all errSec (466, two of them misspelt too) and 74 errSSL statuses of Apple's headers are declared",
        .rule("results.status.message"))
    func complete() {
        let names = Self.declarations.map(\.name)
        #expect(names.filter { $0.hasPrefix("errSec") }.count == 468)
        #expect(names.filter { $0.hasPrefix("errSSL") }.count == 74)
        #expect(Set(names).count == names.count)
    }

    @Test(
        "every status has a sentence of its own, the one in its documentation", .rule("results.status.message"),
        arguments: declarations)
    func everyStatusHasItsMessage(declaration: Declaration) {
        #expect(message(declaration.status) == declaration.comment)
        #expect(declaration.comment.hasSuffix("."))
    }

    @Test(
        "the messages that scripts match on are verbatim", .rule("results.status.message", "results.status.verbatim"),
        arguments: [
            (errSecItemNotFound, "The specified item could not be found in the keychain."),
            (errSecDuplicateItem, "The specified item already exists in the keychain."),
            (errSecInteractionNotAllowed, "User interaction is not allowed."),
            (errSecAuthFailed, "The user name or passphrase you entered is not correct."),
            (errSecMissingEntitlement, "A required entitlement isn't present."),
            (errSecParam, "One or more parameters passed to a function were not valid."),
            (errSecUserCanceled, "User canceled the operation."),
            (errSecNoSuchKeychain, "The specified keychain could not be found."),
        ] as [(OSStatus, String)])
    func quotedMessages(status: OSStatus, sentence: String) {
        #expect(message(status) == sentence)
    }

    @Test(
        "statuses without a public name that a call can return have a sentence too", .rule("results.status.message"),
        arguments: [-25330, -26276, -34019])
    func unnamedStatuses(status: OSStatus) {
        #expect(message(status)?.hasSuffix(".") == true)
    }

    @Test(
        "a status nobody knows is named by its number", .rule("results.status.message"),
        arguments: [1, -1, -25329, .max, .min])
    func unknownStatus(status: OSStatus) {
        #expect(message(status) == "OSStatus \(status)")
    }

    @Test(
        "a status made of an errno gives the system's text", .rule("results.status.message", "results.status.errno"),
        arguments: [
            (100_002, "UNIX[No such file or directory]"), (100_013, "UNIX[Permission denied]"),
            (100_000, "UNIX[Success]"), (100_255, "UNIX[Unknown error 255]"), (100_256, "OSStatus 100256"),
            (99_999, "OSStatus 99999"),
        ] as [(OSStatus, String)])
    func systemErrors(status: OSStatus, text: String) {
        #expect(message(status) == text)
    }

    @Test(
        "statuses have Apple's numbers", .rule("results.status.message", "results.status.numbers"),
        arguments: [
            (errSecSuccess, 0), (errSecUnimplemented, -4), (errSecParam, -50), (errSecAllocate, -108),
            (errSecUserCanceled, -128), (errSecNotAvailable, -25291), (errSecAuthFailed, -25293),
            (errSecDuplicateItem, -25299), (errSecItemNotFound, -25300), (errSecNoSuchAttr, -25303),
            (errSecNoSuchClass, -25306), (errSecInteractionNotAllowed, -25308), (errSecDecode, -26275),
            (errSecMissingEntitlement, -34018), (errSecRestrictedAPI, -34020), (errSecVerifyFailed, -67808),
            (errSSLCrypto, -9809), (errSecCSUnsigned, -67062),
        ] as [(OSStatus, OSStatus)])
    func numbers(status: OSStatus, number: OSStatus) {
        #expect(status == number)
    }
}
