// For the test that prompts the user: a program like any other, whose items open only after authentication.
//
//     guarded-item add SERVICE PROTECTION      adds an item that requires user presence
//     guarded-item read SERVICE                prints its value
//     guarded-item follow SERVICE              adds an unguarded item, and reads it for each line of standard input
//
// A refusal is printed as the status and the rule.

import Foundation
import Security

typealias Attributes = [CFString: Any]

func add(_ item: Attributes, _ protection: String) -> OSStatus {
    let control = SecAccessControlCreateWithFlags(nil, protection as CFString, .userPresence, nil)
    guard let control else { return errSecParam }
    let secret: Attributes = [kSecAttrAccessControl: control, kSecValueData: Data("guarded value".utf8)]
    return SecItemAdd(item.merging(secret) { $1 } as CFDictionary, nil)
}

func read(_ item: Attributes) -> OSStatus {
    var found: CFTypeRef?
    let query = item.merging([kSecReturnData: true]) { $1 } as CFDictionary
    let status = unsafe SecItemCopyMatching(query, &found)
    if let value = found as? Data { print(String(decoding: value, as: UTF8.self)) }
    return status
}

func follow(_ item: Attributes) -> Int32 {
    let status = SecItemAdd(item.merging([kSecValueData: Data("a value".utf8)]) { $1 } as CFDictionary, nil)
    guard [errSecSuccess, errSecDuplicateItem, errSecInteractionNotAllowed].contains(status) else { return 1 }
    while readLine() != nil {
        let status = read(item)
        let error = SecCopyLastItemError()
        if status != errSecSuccess { print("\(status) \(error?.rule ?? "") \(error?.problem ?? "")") }
        fflush(nil)
    }
    return 0
}

func run(_ arguments: [String]) -> Int32 {
    if arguments.count == 3, arguments[1] == "follow" {
        return follow([kSecClass: kSecClassGenericPassword, kSecAttrService: arguments[2]])
    }
    guard arguments.count == 4 || arguments.count == 3 && arguments[1] == "read" else { return 2 }
    let item: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: arguments[2]]
    let status = arguments[1] == "add" ? add(item, arguments[3]) : read(item)
    if status != errSecSuccess { print("\(status) \(SecCopyLastItemError()?.rule ?? "")") }
    return status == errSecSuccess ? 0 : 1
}

// The main thread must not wait for the user, and debug builds report that.
Thread { exit(run(CommandLine.arguments)) }.start()
while true { pause() }
