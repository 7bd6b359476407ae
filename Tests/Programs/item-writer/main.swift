// For the tests that kill writers: adds numbered items and prints the acknowledged ones, or checks the stored ones.
//
//     item-writer add SERVICE       adds items until it is killed; prints the number of each after its SecItemAdd
//     item-writer check SERVICE     prints the number of each stored item; exit 1 when one does not have the value it
//                                   was added with

import Foundation
import Security

func value(_ service: String, _ number: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number), count: 100 + number % 5000) + Data("\(service)-\(number)".utf8)
}

func add(_ service: String) -> Never {
    for number in 0... {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: String(number),
            kSecValueData: value(service, number),
        ]
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else {
            FileHandle.standardError.write(Data("\(SecCopyLastItemError()?.description ?? "")\n".utf8))
            exit(3)
        }
        FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }
    exit(0)
}

// The result is freed when this returns: an address in a value of type Data is tagged, and the leak search at the end
// of the process does not follow it.
func check(_ service: String) -> Int32 {
    let query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecMatchLimit: kSecMatchLimitAll,
        kSecReturnAttributes: true, kSecReturnData: true,
    ]
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    guard status == errSecSuccess || status == errSecItemNotFound else {
        print("status \(status): \(SecCopyLastItemError()?.description ?? "")")
        return 1
    }
    for item in (found as? [[String: Any]]) ?? [] {
        guard let account = item[kSecAttrAccount as String] as? String, let number = Int(account),
            item[kSecValueData as String] as? Data == value(service, number)
        else {
            print("an item has not the value it was added with")
            return 1
        }
        print(number)
    }
    return 0
}

switch CommandLine.arguments.dropFirst().first {
case "add": add(CommandLine.arguments.dropFirst(2).first ?? "items")
case "check": exit(check(CommandLine.arguments.dropFirst(2).first ?? "items"))
default: exit(2)
}
