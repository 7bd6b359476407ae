import Foundation
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import Security

/// One line of a script, as a call of the keychain.
struct Operation {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    /// Makes the call and returns status, rule and result in the form of the record.
    func perform() -> String {
        switch (words[0], words.count) {
        case ("add", 5): outcome(SecItemAdd(item().adding(value(3)) as CFDictionary, nil))
        case ("addpu", 5):
            outcome(SecItemAdd(item().adding(value(3)).adding(passcodeOnly()) as CFDictionary, nil))
        case ("set", 5): outcome(SecItemUpdate(item() as CFDictionary, value(3) as CFDictionary))
        case ("del", 3): outcome(SecItemDelete(item() as CFDictionary))
        case ("get", 3): get()
        case ("setall", 4): outcome(SecItemUpdate(service(1) as CFDictionary, value(2) as CFDictionary))
        case ("clash", 3):
            outcome(SecItemUpdate(service(1) as CFDictionary, [kSecAttrService: words[2]] as CFDictionary))
        case ("delall", 2): outcome(SecItemDelete(service(1) as CFDictionary))
        case ("all", 1): all()
        case ("passcode", 2...3): device(.setPasscode)
        case ("unlock", 2): device(.unlock)
        case ("nopasscode", 2): device(.removePasscode)
        case ("settings", 2): settings()
        case ("undelete", 4), ("restore", 4): restore()
        case ("slot", 2): device(.addSlot(.recovery, by: .passcode), room: true)
        case ("totpm", 1...2): device(.moveToTPM)
        case ("snapshot", 1): device(.snapshot)
        case ("verify", 1): verify()
        case ("addcert", 3): outcome(Objects.addCertificate(words[1], words[2]))
        case ("addkey", 4): outcome(Objects.addKey(words[1], words[2], words[3]))
        case ("makekey", 3): outcome(Objects.makeKey(words[1], words[2]))
        case ("relabel", 4): outcome(Objects.relabel(words[1], words[2], words[3]))
        case ("ask", 2...): ask()
        default: "-50 script.unknown-line"
        }
    }

    private func service(_ index: Int) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: words[index]]
    }

    private func item() -> [CFString: Any] { service(1).adding([kSecAttrAccount: words[2]]) }

    private func passcodeOnly() -> [CFString: Any] {
        [kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
    }

    private func value(_ index: Int) -> [CFString: Any] {
        [kSecValueData: Value.data(number: words[index], size: Int(words[index + 1]) ?? 0)]
    }

    private func get() -> String {
        var found: CFTypeRef?
        let status = SecItemCopyMatching(item().adding([kSecReturnData: true]) as CFDictionary, &found)
        return outcome(status, (found as? Data).map(Value.number) ?? "")
    }

    private func all() -> String {
        let (status, items) = Items.all()
        return outcome(status, items.joined(separator: " "))
    }

    private func ask() -> String {
        let (status, items) = Objects.ask(words[1], words.dropFirst(2))
        return outcome(status, items.joined(separator: " "))
    }

    private func verify() -> String {
        do throws(Refusal) { return outcome(0, try Items.verify()) } catch { return outcome(error) }
    }

    /// Changes the number of seconds without use after which the keychain locks.
    private func settings() -> String {
        do throws(Refusal) {
            let settings = DeviceSettings(idleSeconds: UInt32(words[1]) ?? 0)
            _ = try KeychainSession.current().device(.changeSettings(settings), passcodes: [])
            return outcome(errSecSuccess)
        } catch { return outcome(error) }
    }

    /// Restores the item as it was before it was last deleted or changed.
    private func restore() -> String {
        do throws(Refusal) {
            guard let version = try versions(.history).last else { return "\(errSecItemNotFound) -" }
            let item = words[0] == "restore" ? try versions(.copyMatching).last : version
            var builder = ItemRequestBuilder(.restore)
            try builder.set("v_PersistentRef", item?.reference ?? .null)
            if words[0] == "restore" { builder.restore(asOf: version.ended - 2e-6) }
            _ = try KeychainSession.current().send(try builder.build())
            return outcome(errSecSuccess)
        } catch { return outcome(error) }
    }

    /// The item as it is, or its earlier versions, the last to end behind the others.
    private func versions(_ operation: ItemRequest.Operation) throws(Refusal) -> [(ended: Double, reference: RawValue)]
    {
        var builder = ItemRequestBuilder(operation)
        for (key, text) in [("class", "genp"), ("svce", words[1]), ("acct", words[2]), ("m_Limit", "m_LimitAll")] {
            try builder.set(key, .string(text))
        }
        for wanted in ["r_Attributes", "r_PersistentRef"] { try builder.set(wanted, .boolean(true)) }
        let found = try KeychainSession.current().sendAll(try builder.build()).items
        let versions = found.compactMap { item -> (ended: Double, reference: RawValue)? in
            guard case .data(let reference)? = item.attributes[.persistentReference] else { return nil }
            if case .date(let ended)? = item.attributes[.versionEnded] { return (ended, .data(reference)) }
            return (0, .data(reference))
        }
        return versions.sorted { $0.ended < $1.ended }
    }

    /// - Parameter room: whether a file for a recovery code is passed too.
    private func device(_ request: DeviceRequest, room: Bool = false) -> String {
        do {
            var files = try words.dropFirst().map(passcodeFile)
            if files.count < request.descriptors.lowerBound { files = [try passcodeFile("")] }
            if room { files.append(try PasscodeFile.makeRoom(RecoveryCodeFormat.room)) }
            _ = try KeychainSession.current().device(request, passcodes: files)
            return outcome(errSecSuccess)
        } catch let error as Refusal { return outcome(error) } catch { return "-36 script.no-memory-file" }
    }

    private func outcome(_ refusal: Refusal) -> String { "\(refusal.status.rawValue) \(refusal.rule.rawValue)" }

    private func outcome(_ status: OSStatus, _ result: String = "") -> String {
        let rule = status == errSecSuccess ? "-" : SecCopyLastItemError()?.rule ?? "-"
        return "\(status) \(rule) \(result)"
    }
}

extension Dictionary {
    fileprivate func adding(_ other: Self) -> Self { merging(other) { $1 } }
}

func passcodeFile(_ text: String) throws(SystemError) -> FileDescriptor {
    try PasscodeFile.make(SecretBytes(copying: Array(text.utf8).span))
}
