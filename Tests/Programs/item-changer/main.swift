// For the tests of the format: creates a keychain in a folder and runs the script on standard input.
//
//     item-changer FOLDER < steps.json
//
// A step is {"add": item}, {"update": [query, changes]}, {"delete": query}, {"makeKey": attributes} for a key of the
// enclave, {"setPasscode": "1234"}, {"unlock": "1234"}, {"enrol": finger}, {"type": password} for the user's answer to
// the next prompt, or {"as": groups} for the access groups of the calling program from then on. Items and queries have
// the keychain's own keys ("acct", "v_Data") with values such as {"string": "a"}, {"data": base64} or {"control":
// [protection, flags]}.

import Foundation
import KeychainTesting
import Security

struct BadStep: Error { let step: String }

func object(_ value: [String: Any]) throws -> Any {
    switch value.first {
    case ("string", let text as String)?: text
    case ("number", let number as NSNumber)?: number.int64Value
    case ("boolean", let flag as Bool)?: flag
    case ("date", let seconds as NSNumber)?: Date(timeIntervalSinceReferenceDate: seconds.doubleValue)
    case ("data", let text as String)?: Data(base64Encoded: text) ?? Data()
    case ("control", let parts as [Any])?: try control(parts)
    default: throw BadStep(step: "\(value)")
    }
}

func control(_ parts: [Any]) throws -> SecAccessControl {
    guard let protection = parts.first as? String, let flags = parts.last as? NSNumber,
        let control = SecAccessControlCreateWithFlags(
            nil, protection as CFString, SecAccessControlCreateFlags(rawValue: flags.uintValue), nil)
    else { throw BadStep(step: "\(parts)") }
    return control
}

func dictionary(_ value: Any) throws -> CFDictionary {
    guard let values = value as? [String: [String: Any]] else { throw BadStep(step: "\(value)") }
    return try values.mapValues(object) as CFDictionary
}

func makeKey(_ attributes: CFDictionary) -> OSStatus {
    let parameters: [CFString: Any] = [
        kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
        kSecAttrKeySizeInBits: 256, kSecPrivateKeyAttrs: attributes,
    ]
    return SecKeyGeneratePair(parameters as CFDictionary, nil, nil)
}

func perform(_ name: String, _ argument: Any, _ keychain: TestKeychain) throws -> OSStatus {
    switch (name, argument) {
    case ("add", let item): return SecItemAdd(try dictionary(item), nil)
    case ("update", let pair as [Any]): return SecItemUpdate(try dictionary(pair[0]), try dictionary(pair[1]))
    case ("delete", let query): return SecItemDelete(try dictionary(query))
    case ("makeKey", let attributes): return makeKey(try dictionary(attributes))
    case ("setPasscode", let passcode as String): try keychain.device.setPasscode(passcode)
    case ("unlock", let passcode as String): try keychain.device.unlock(passcode: passcode)
    case ("enrol", let finger as String): keychain.device.enrol(finger: finger)
    case ("type", let password as String): keychain.device.user.will(.password(password))
    default: throw BadStep(step: name)
    }
    return errSecSuccess
}

let keychain = try TestKeychain(folder: URL(filePath: CommandLine.arguments[1]))
var program = keychain.program(accessGroups: ["TEST.program"])
let steps = try JSONSerialization.jsonObject(with: FileHandle.standardInput.readDataToEndOfFile()) as? [[String: Any]]
for step in steps ?? [] {
    for (name, argument) in step {
        if name == "as", let groups = argument as? [String] {
            program = keychain.program(accessGroups: groups)
            continue
        }
        let status = try program.run { try perform(name, argument, keychain) }
        guard status == errSecSuccess else {
            print("\(name) gave \(status): \(program.run { SecCopyLastItemError()?.description ?? "" })")
            exit(1)
        }
    }
}
