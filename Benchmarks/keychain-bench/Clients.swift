import CYardstick
import EmbeddedKeychain
import Foundation
import KeychainClient
import KeychainModel
import LinuxSystem
import Security

/// The attributes that identify an item, ready for either client: making names is not measured.
struct Names {
    let service: String
    let account: String
    fileprivate let cService: [CChar]
    fileprivate let cAccount: [CChar]

    init(_ number: Int) {
        (service, account) = (Workload.service(number), Workload.account(number))
        (cService, cAccount) = (Array(service.utf8CString), Array(account.utf8CString))
    }

    /// The items that are looked up in a store, in this order and then again.
    static func sequence(of items: Int) -> [Names] {
        (0..<4096).map { Names(Workload.number($0, of: items)) }
    }
}

/// The calls as a program for iOS makes them.
enum SwiftClient {
    /// Makes all calls go to the daemon at a socket.
    static func use(socket: String) {
        KeychainSession.install(
            Connection { (_) throws(Refusal) in
                do throws(SystemError) {
                    return try UnixSocket.connect(to: socket, deadline: .after(milliseconds: 5000))
                } catch {
                    throw Refusal(
                        .notAvailable, .unavailable, "daemon", "\(socket): \(error).", do: "See whether it runs.")
                }
            })
    }

    /// Makes all calls go to the keychain in a folder, inside this process.
    static func use(folder: String) throws { KeychainSession.install(try EmbeddedKeychain(folder: folder)) }

    static func lookUp(_ names: Names) throws {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: names.service,
            kSecAttrAccount as String: names.account, kSecMatchLimit as String: kSecMatchLimitOne,
            kSecReturnData as String: true,
        ]
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
        guard status == errSecSuccess, let data = found as? Data, data.count == Workload.valueBytes else {
            throw BenchError("No \(names.account): \(status), \(SecCopyLastItemError().map { "\($0)" } ?? "").")
        }
    }

    static func add(service: String, account: String) throws {
        let item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account, kSecValueData as String: Data(Workload.value(0)),
        ]
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess else { throw BenchError("Adding \(account) failed: \(status).") }
    }

    /// How many items there are, each with all that is known about it.
    static func enumerate() throws -> Int {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true, kSecReturnData as String: true,
        ]
        var found: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
        guard status == errSecSuccess, let items = found as? NSArray else {
            throw BenchError("Enumerating failed: \(status).")
        }
        return items.count
    }
}

/// The same in C.
final class CClient {
    private let socket: CInt

    init(socket path: String) throws {
        socket = unsafe yardstick_connect(path)
        guard socket >= 0 else { throw BenchError("Nobody listens at \(path).") }
    }

    deinit { close(socket) }

    func lookUp(_ names: Names) throws {
        var value: UnsafeMutablePointer<UInt8>?
        let size = unsafe yardstick_look_up(socket, names.cService, names.cAccount, &value)
        guard size == Workload.valueBytes else { throw BenchError("No \(names.account) for the yardstick.") }
        unsafe free(value)
    }

    func add(service: String, account: String) throws {
        let value = Workload.value(0)
        let status = unsafe yardstick_add(socket, service, account, value, value.count)
        guard status == errSecSuccess else { throw BenchError("The yardstick did not add \(account): \(status).") }
    }
}

/// A process that makes one call and tells how many nanoseconds that took.
func call(_ number: Int, on socket: String) throws {
    SwiftClient.use(socket: socket)
    let names = Names(number)
    let nanoseconds = try time { try SwiftClient.lookUp(names) }
    FileHandle.standardOutput.write(Data("\(nanoseconds)\n".utf8))
}

/// A process that is one of several clients: every line of input is some work, a line of output says that it is
/// done.
func work(on socket: String) throws {
    SwiftClient.use(socket: socket)
    while let line = readLine() {
        let order = line.split(separator: " ").map(String.init)
        switch order.first {
        case "add":
            let (name, count) = (order[1], Int(order[2]) ?? 0)
            for number in 0..<count { try SwiftClient.add(service: name, account: "\(number)") }
        default:
            let numbers = order.compactMap(Int.init)
            for index in numbers[0]..<numbers[0] + numbers[1] {
                try SwiftClient.lookUp(Names(Workload.number(index, of: numbers[2])))
            }
        }
        FileHandle.standardOutput.write(Data("done\n".utf8))
    }
}
