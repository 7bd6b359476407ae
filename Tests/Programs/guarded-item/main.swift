// For the test that has the user asked: a program as any other, with items that open only after he has shown who he is.
//
//     guarded-item add SERVICE PROTECTION      adds an item that takes user presence
//     guarded-item read SERVICE                prints its value
//
// What is refused is printed as the status and the rule.

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

func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 4 || arguments.count == 3 && arguments[1] == "read" else { return 2 }
    let item: Attributes = [kSecClass: kSecClassGenericPassword, kSecAttrService: arguments[2]]
    let status = arguments[1] == "add" ? add(item, arguments[3]) : read(item)
    if status != errSecSuccess { print("\(status) \(SecCopyLastItemError()?.rule ?? "")") }
    return status == errSecSuccess ? 0 : 1
}

// The main thread is no place to wait for the user, and debug builds say so.
Thread { exit(run(CommandLine.arguments)) }.start()
while true { pause() }
