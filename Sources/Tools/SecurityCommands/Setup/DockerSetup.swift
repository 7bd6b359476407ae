import LinuxSystem

/// Makes docker keep its logins in the keychain: the member `credsStore` of its configuration.
enum DockerSetup {
    static let target = SetupTarget(
        name: "docker", summary: "docker keeps its logins in the keychain"
    ) { place, wish throws(CommandFailure) in
        let path = place.folder("DOCKER_CONFIG", else: ".docker") + "/config.json"
        let record = place.records + "/docker-credsStore"
        let (before, old) = (try FileChange.read(path), try FileChange.read(record))
        let text = try ConfigurationText(before ?? "{}\n", path)
        if wish.undoes {
            guard text.value == ours else { return [] }
            let restored = text.setting(old.flatMap { $0.isEmpty ? nil : $0 })
            return [
                FileChange(path: path, before: before, after: restored, mode: 0o600),
                FileChange(path: record, before: old, after: nil, isRecord: true),
            ]
        }
        guard text.value != ours else { return [] }
        guard place.program("docker-credential-keychain") != nil else { throw missingHelper }
        return [
            FileChange(path: record, before: old, after: text.value ?? "", mode: 0o600, isRecord: true),
            FileChange(path: path, before: before, after: text.setting(ours), mode: 0o600),
        ]
    }

    private static let ours = "\"keychain\""

    private static var missingHelper: CommandFailure {
        .failed(
            "docker finds no docker-credential-keychain",
            remedy:
                "Make one in a folder of PATH: ln -s \"$(command -v security)\" ~/.local/bin/docker-credential-keychain"
        )
    }
}

/// The text of docker's configuration, of which one member is changed and everything else stays as it is.
private struct ConfigurationText {
    private let text: [UInt8]
    private let object: JSONObject
    private static let key = "credsStore"

    init(_ text: String, _ path: String) throws(CommandFailure) {
        let bytes = Array((text.isEmpty ? "{}\n" : text).utf8)
        self.text = bytes
        do throws(JSONObject.Malformed) { object = try JSONObject(bytes.span) } catch {
            throw .failed("\(path) is not a JSON object", remedy: "Mend it, or move it away; docker makes a new one.")
        }
    }

    /// The member as it is written; nil when it is not there.
    var value: String? { object[Self.key].map { String(decoding: text[$0.value], as: UTF8.self) } }

    /// The text with the member set, or without it.
    func setting(_ value: String?) -> String {
        guard let member = object[Self.key] else {
            return value.map { replacing(object.start + 1..<object.start + 1, with: insertion($0)) }
                ?? String(decoding: text, as: UTF8.self)
        }
        guard let value else { return replacing(withComma(member.range), with: "") }
        return replacing(member.value, with: value)
    }

    private func insertion(_ value: String) -> String {
        "\n\t\"\(Self.key)\": \(value)" + (object.members.isEmpty ? "\n" : ",")
    }

    /// The member with the white space before it, and the comma behind it, or else the one before it.
    private func withComma(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, Self.isBlank(text[start - 1]) { start -= 1 }
        if object.members.count == 1 {
            while end < text.count, Self.isBlank(text[end]) { end += 1 }
        }
        if end < text.count, text[end] == UInt8(ascii: ",") {
            end += 1
        } else if text[start - 1] == UInt8(ascii: ",") {
            start -= 1
        }
        return start..<end
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private func replacing(_ range: Range<Int>, with new: String) -> String {
        var changed = text
        changed.replaceSubrange(range, with: Array(new.utf8))
        return String(decoding: changed, as: UTF8.self)
    }
}
