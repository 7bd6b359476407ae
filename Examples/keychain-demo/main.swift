// A program as it would be written for iOS: it keeps a password in the keychain and finds it again the next time it
// runs.

import Foundation
import KeychainExamples
import Security

let arguments = CommandLine.arguments.dropFirst()
let service = "com.example.demo"

switch (arguments.first, arguments.dropFirst().first) {
case ("set", let account?):
    guard let password = readLine(strippingNewline: true) else { exit(2) }
    guard PasswordKeychain.setPassword(password, service: service, account: account) else {
        print(SecCopyLastItemError()?.description ?? "The password was not stored.")
        exit(1)
    }
case ("get", let account?):
    let password = PasswordKeychain.password(service: service, account: account)
    guard !password.isEmpty else { exit(44) }
    print(password)
case ("delete", let account?):
    exit(PasswordKeychain.deletePassword(service: service, account: account) ? 0 : 44)
default:
    print("usage: keychain-demo set|get|delete ACCOUNT     (set reads the password from standard input)")
    exit(2)
}
