// The server-verified login in one process: a server on this machine, and a client with a key in the Secure Enclave.

import Foundation
import ServerLogin

let user = CommandLine.arguments.dropFirst().first ?? "alice"
let server = LoginServer()
guard let http = LoopbackHTTPServer(answer: server.answer) else {
    print("Nobody can listen on this machine's loopback interface.")
    exit(1)
}
do {
    let client = LoginClient(user: user, port: http.port)
    print("1. \(user) registers: the enclave makes a key, the server gets its public half.")
    try client.register()
    print("2. The server issues a challenge.")
    let challenge = try client.requestChallenge()
    print("3. The enclave signs it.")
    let attempt = try client.sign(challenge)
    print("4. The server has openssl verify the signature: \(try client.send(attempt).reason)")
    print("5. The same answer once more: \(try client.send(attempt).reason)")
} catch {
    print("It did not work: \(error)")
    exit(1)
}
http.stop()
