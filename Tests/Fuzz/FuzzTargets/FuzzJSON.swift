import Foundation
import LinuxSystem

@testable import KeychainModel
@testable import SecurityCommands

/// The messages of git and docker, and docker's configuration as people edit it.
///
/// The first byte says what the rest is. Text taken for JSON is JSON, a string keeps its meaning, and a configuration
/// that was set up and put back is as before.
func fuzzJSON(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    let body = bytes.array(1, bytes.count - 1)
    switch bytes[0] % 5 {
    case 0: fuzzObject(body)
    case 1: fuzzText(body)
    case 2: fuzzConfigurationText(body)
    case 3: fuzzGit(body)
    default: fuzzServer(body)
    }
}

private func fuzzObject(_ text: [UInt8]) {
    guard let object = try? JSONObject(text.span) else { return }
    var end = object.start
    for member in object.members {
        require(
            end < member.range.lowerBound && member.range.upperBound <= text.count, "members lie within one another")
        require(member.range.contains(member.value.lowerBound), "a value lies outside its member")
        require(member.range.upperBound == member.value.upperBound, "a member does not end with its value")
        end = member.range.upperBound - 1
    }
    let other: Any?
    do { other = try JSONSerialization.jsonObject(with: Data(text)) } catch {
        fatalError("what is no JSON is taken for an object: \(String(decoding: text, as: UTF8.self)) \(error)")
    }
    guard let dictionary = other as? [String: Any] else { fatalError("an object is none") }
    for key in dictionary.keys where object.members.count(where: { $0.key == key }) == 1 {
        guard let theirs = dictionary[key] as? String else { continue }
        let ours = object.string(key, in: text.span)?.withSpan {
            String(decoding: $0.array(0, $0.count), as: UTF8.self)
        }
        require(ours == theirs, "a string means two things: \(theirs)")
    }
}

private func fuzzText(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let json = written { JSONValue.object([(text, .string(text)), ("number", .number(-1))]).append(to: $0) }
    guard let object = try? JSONObject(json.span) else { fatalError("what is written as JSON is none") }
    require(object.string(text, in: json.span)?.array == Array(text.utf8) || text == "number", "a text is another one")
    require(!json.contains { $0 < 0x20 }, "a control character in JSON")
}

private let dockerFolder = FuzzFolder("docker")

private func fuzzConfigurationText(_ text: [UInt8]) {
    let path = dockerFolder.path
    let environment = ["HOME": path, "DOCKER_CONFIG": path, "XDG_STATE_HOME": path, "PATH": path]
    dockerFolder.empty()
    dockerFolder.put("config.json", text)
    dockerFolder.put("docker-credential-keychain", [])
    require(unsafe chmod(dockerFolder.file("docker-credential-keychain"), 0o755) == 0, "no helper")
    guard let place = try? SetupPlace({ environment[$0] }) else { fatalError("no place") }
    func changes(undoes: Bool) -> [FileChange]? {
        try? DockerSetup.target.changes(place, SetupWish(undoes: undoes, addsLibrary: false))
    }
    guard let made = changes(undoes: false) else { return }
    for change in made { must("a change cannot be made") { () throws(CommandFailure) in try change.apply() } }
    guard let now = dockerFolder.read("config.json"), let object = try? JSONObject(now.span) else {
        fatalError("docker's configuration was broken")
    }
    require(object.string("credsStore", in: now.span)?.array == Array("keychain".utf8), "docker was not set up")
    require(changes(undoes: false)?.contains { $0.isNeeded && !$0.isRecord } != true, "what is set up is changed again")
    guard let undone = changes(undoes: true) else { fatalError("what was set up cannot be put back") }
    for change in undone { must("a change cannot be undone") { () throws(CommandFailure) in try change.apply() } }
    let whole = text.isEmpty ? Array("{}".utf8) : text
    let before = (try? JSONObject(whole.span))?.members.map(\.key)
    let after = dockerFolder.read("config.json").flatMap { try? JSONObject($0.span) }?.members.map(\.key)
    require(made.isEmpty || before == after, "docker's configuration is not what it was")
}

private func fuzzGit(_ body: [UInt8]) {
    let (reader, writer) = must("a pipe") { () throws(SystemError) in try FileDescriptor.pipe() }
    if body.count < 60_000 { try? writer.writeFully(body.span) }
    shut(writer)
    guard let description = try? GitDescription(reading: Input(reader)) else { return }
    for key in ["protocol", "host", "path"] {
        require(description[key]?.isEmpty != true, "an empty value counts as one")
        require(description[key]?.utf8.contains(UInt8(ascii: "\n")) != true, "a value has two lines")
    }
    require(description.account?.utf8.contains(UInt8(ascii: "\n")) != true, "an account has two lines")
    if let server = description.server { check(server) }
    let secret = SecretBytes(body)
    guard let password = GitPassword(secret) else { return }
    let lines = [password.password] + password.rest
    require(lines.allSatisfy { !$0.array.contains(UInt8(ascii: "\n")) && !$0.array.contains(0) }, "a line has two")
    require(secret.array.starts(with: password.password.array), "another password")
}

/// Nothing more comes.
private func shut(_ writer: FileDescriptor) {
    let nothing = unsafe open("/dev/null", O_WRONLY)
    dup2(nothing, writer.number)
    close(nothing)
}

private func fuzzServer(_ body: [UInt8]) {
    let text = String(decoding: body, as: UTF8.self)
    if let server = ServerAddress(server: text) { check(server) }
}

private func check(_ server: ServerAddress) {
    require(!server.host.isEmpty && !server.scheme.isEmpty, "a server without a name")
    require(server.scheme == server.scheme.lowercased(), "a scheme has two spellings")
    for attribute in server.attributes {
        require(AttributeTable.rows.contains { $0.code == attribute.code }, "no attribute: \(attribute.code)")
    }
}

extension FuzzSeeds {
    static func ofJson() -> [[UInt8]] {
        let objects = [
            "{}", " { \"a\" : [1, -2.5e3, true, null, {\"b\":\"c\"}] }\n",
            "{\"ServerURL\":\"https://a\",\"Secret\":\"\\ud83d\\ude00\\n\"}",
            "{\"credsStore\":\"pass\",\"auths\":{}}", "{\n\t\"auths\": {},\n\t\"credsStore\": \"keychain\"\n}",
            "{\"a\":1,\"a\":2}",
            "{\"credsStore\":null}", "{\"a\":0x10}", "{\"a\":01}", "{\"a\":\"\\x\"}", "{\"a\":+1}", "{\"a\":.5}",
            "{\"a\":\"\\\u{1}\"}",
        ]
        let git = [
            "protocol=https\nhost=example.org:8443\npath=a/b\nusername=u\npassword=p\n\n",
            "password\noauth_refresh_token=x",
        ]
        let servers = ["https://index.docker.io/v1/", "example.org", "[::1]:443/a", "HTTP://a:80"]
        return [0, 2].flatMap { kind in objects.map { [UInt8(kind)] + Array($0.utf8) } } + [[2]]
            + ["a\"\\\u{7f}\u{85}\u{2028}\0", "number", ""].map { [1] + Array($0.utf8) }
            + git.map { [3] + Array($0.utf8) } + servers.map { [4] + Array($0.utf8) }
    }
}
