import EmbeddedKeychain
import Foundation
import KeychainClient
import KeychainModel
import KeychainWire
import Security

/// A value that contains its number and has a known length. Any other value found in its place does not come from a
/// script.
enum Value {
    static func data(number: String, size: Int) -> Data {
        let word = Data("\(number):\(size):".utf8)
        var data = Data(capacity: size + word.count)
        repeat { data.append(word) } while data.count < size
        return data
    }

    /// The number; `torn` when it is not such a value.
    static func number(_ data: Data) -> String {
        let parts = String(decoding: data.prefix(40), as: UTF8.self).split(separator: ":")
        guard parts.count >= 2, let size = Int(parts[1]), data == self.data(number: String(parts[0]), size: size) else {
            return "torn"
        }
        return String(parts[0])
    }
}

enum Items {
    /// All items, each as `service/account=number`, in order.
    static func all() -> (OSStatus, [String]) {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
            kSecReturnData: true,
        ]
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        return (status, ((found as? [[String: Any]]) ?? []).map(text).sorted())
    }

    private static func text(_ item: [String: Any]) -> String {
        let service = item[kSecAttrService as String] as? String ?? "?"
        let account = item[kSecAttrAccount as String] as? String ?? "?"
        return "\(service)/\(account)=\((item[kSecValueData as String] as? Data).map(Value.number) ?? "locked")"
    }

    /// The result of reading every row and the file: the number of rows, and the damaged ones.
    static func verify() throws(Refusal) -> String {
        let report = try KeychainSession.current().verifyAll { _, _ in }
        let damage = report.damage.map { "\($0.itemClass.code) row \($0.row): \($0.problem)" }
        return
            "checked=\(report.checked) locked=\(report.locked) "
            + "damage=\((damage + [report.file]).joined(separator: "; "))"
    }
}

/// Opens the store in a folder as a program with an embedded keychain does. Prints one line: its status, the result of
/// reading every row, its items, and the passcode that opened it.
///
/// - Parameter text: the folder, followed by passcodes to try.
func check(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    var line: String
    do throws(Refusal) {
        KeychainSession.install(try openKeychain(in: words[0]))
        let passcode = words.dropFirst().first(where: opens) ?? "-"
        let report = try Items.verify()
        let (status, items) = Items.all()
        line = "\(status)\t\(report)\t\(items.joined(separator: " "))\t\(passcode)"
    } catch {
        line = "\(error.status.rawValue)\t\(error.problem)\t\t-"
    }
    KeychainSession.install(nil)
    note(line.replacing("\n", with: " "))
}

private func opens(_ passcode: String) -> Bool {
    (try? KeychainSession.current().device(.unlock, passcodes: [passcodeFile(passcode)])) != nil
}
