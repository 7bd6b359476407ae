// For the tests that kill writers: adds numbered items and prints the acknowledged ones, or checks the stored ones.
//
//     item-writer add SERVICE       adds items until it is killed; prints the number of each after its SecItemAdd
//     item-writer check SERVICE     prints the number of each stored item; exit 1 when one does not have the value it
//                                   was added with
//     item-writer put ACCOUNT VALUE adds a synchronisable item, or changes it
//     item-writer open ACCOUNT VALUE
//                                   adds a synchronisable item that a locked machine opens
//     item-writer fill COUNT        adds numbered synchronisable items
//     item-writer show              prints each synchronisable item: its account, its value
//     item-writer drop ACCOUNT      deletes a synchronisable item
//     item-writer watch             prints "w" when it watches its groups, and "!" for each notice

import Dispatch
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

func synchronisable(_ rest: [CFString: Any]) -> [CFString: Any] {
    let item: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: "sync", kSecAttrSynchronizable: true,
    ]
    return item.merging(rest) { $1 }
}

func put(_ account: String, _ value: String) -> Int32 {
    let place = synchronisable([kSecAttrAccount: account])
    let change: [CFString: Any] = [kSecValueData: Data(value.utf8)]
    let status = SecItemUpdate(place as CFDictionary, change as CFDictionary)
    if status != errSecItemNotFound { return status == errSecSuccess ? 0 : 1 }
    return SecItemAdd(place.merging(change) { $1 } as CFDictionary, nil) == errSecSuccess ? 0 : 1
}

func open(_ account: String, _ value: String) -> Int32 {
    let item = synchronisable([
        kSecAttrAccount: account, kSecValueData: Data(value.utf8),
        kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
    ])
    return SecItemAdd(item as CFDictionary, nil) == errSecSuccess ? 0 : 1
}

func fill(_ count: Int) -> Int32 {
    for number in 0..<count {
        let item = synchronisable([
            kSecAttrAccount: "item-\(number)", kSecValueData: Data("the secret of item \(number)".utf8),
        ])
        guard SecItemAdd(item as CFDictionary, nil) == errSecSuccess else { return 1 }
    }
    return 0
}

func show() -> Int32 {
    var found: CFTypeRef?
    let query = synchronisable([
        kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true,
    ])
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    for item in (found as? [[String: Any]]) ?? [] {
        let value = item[kSecValueData as String] as? Data ?? Data()
        print("\(item[kSecAttrAccount as String] as? String ?? ""): \(String(decoding: value, as: UTF8.self))")
    }
    return status == errSecSuccess || status == errSecItemNotFound ? 0 : 1
}

func drop(_ account: String) -> Int32 {
    let place = synchronisable([kSecAttrAccount: account])
    return SecItemDelete(place as CFDictionary) == errSecSuccess ? 0 : 1
}

func watch() -> Never {
    Task {
        do {
            let changes = try KeychainChanges()
            FileHandle.standardOutput.write(Data("w\n".utf8))
            for try await _ in changes { FileHandle.standardOutput.write(Data("!\n".utf8)) }
        } catch { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
        exit(3)
    }
    dispatchMain()
}

let words = CommandLine.arguments.dropFirst(2)
switch CommandLine.arguments.dropFirst().first {
case "add": add(CommandLine.arguments.dropFirst(2).first ?? "items")
case "check": exit(check(CommandLine.arguments.dropFirst(2).first ?? "items"))
case "put": exit(put(words.first ?? "", words.last ?? ""))
case "open": exit(open(words.first ?? "", words.last ?? ""))
case "fill": exit(fill(words.first.flatMap { Int($0) } ?? 0))
case "show": exit(show())
case "watch": watch()
case "drop": exit(drop(words.first ?? ""))
default: exit(2)
}
