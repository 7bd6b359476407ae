import KeychainWire

/// The variables of a caller that a prompt program gets: those of ``PromptEnvironment/variables``, if they have the
/// form that their readers document. A value of another form could make a pinentry load or run something: a message
/// catalogue at a path, or a bus address with a command. An attacker behind the daemon could choose it.
enum SafeSurroundings {
    static func environment(_ surroundings: PromptEnvironment) -> [String: String] {
        surroundings.environment.filter { name, value in
            guard let form = forms[name] else { return false }
            return !value.isEmpty && value.utf8.count <= 1024 && form(value)
        }
    }

    private static let forms: [String: @Sendable (String) -> Bool] = [
        "TERM": isName, "LANGUAGE": isName, "LC_ALL": isName, "LC_MESSAGES": isName, "LC_CTYPE": isName, "LANG": isName,
        "DISPLAY": { isName($0) || isPath($0) }, "WAYLAND_DISPLAY": { isName($0) || isPath($0) },
        "XAUTHORITY": isPath, "XDG_RUNTIME_DIR": isPath, "DBUS_SESSION_BUS_ADDRESS": isSocketAddress,
    ]

    private static func isName(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "+"), UInt8(ascii: "@"):
                true
            default: false
            }
        }
    }

    private static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Unix sockets alone: other transports of D-Bus start programs or leave the machine.
    private static func isSocketAddress(_ text: String) -> Bool {
        text.split(separator: ";").allSatisfy { $0.hasPrefix("unix:path=/") || $0.hasPrefix("unix:abstract=") }
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
