import Systemd

/// The description of an object in the words of D-Bus, made from the tables of methods, properties and signals.
enum Introspection {
    /// The description of an object, or of a path that only has others below it.
    ///
    /// - Parameter children: the names below.
    static func text(of object: SecretObject?, _ children: [String]? = nil) -> String {
        let nodes = (children ?? []).map { "<node name=\"\($0)\"/>" }.joined()
        let own = object.map { $0.interfaces.map(interface).joined() } ?? ""
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>\(own)\(standard)\(nodes)</node>
            """
    }

    private static func interface(_ interface: SecretInterface) -> String {
        var lines = SecretMethod.all.filter { $0.interface == interface }.map(method)
        lines += SecretProperty.list(of: interface).map(property)
        lines += SecretSignal.all.filter { $0.interface == interface }.map(signal)
        return "<interface name=\"\(interface.rawValue)\">\(lines.joined())</interface>"
    }

    /// The description of a path above the service's: the next name on the way there; nil for any other.
    static func text(above path: String) -> String? {
        let prefix = path == "/" ? "/" : path + "/"
        guard SecretObject.root.hasPrefix(prefix) else { return nil }
        let next = SecretObject.root.dropFirst(prefix.count).prefix { $0 != "/" }
        return "<node><node name=\"\(next)\"/></node>"
    }

    private static func method(_ method: SecretMethod) -> String {
        let arguments =
            types(method.input).map { argument($0, "in") } + types(method.output).map { argument($0, "out") }
        return "<method name=\"\(method.name)\">\(arguments.joined())</method>"
    }

    private static func property(_ property: SecretProperty) -> String {
        let access = property.isWritable ? "readwrite" : "read"
        return "<property name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\"/>"
    }

    private static func signal(_ signal: SecretSignal) -> String {
        "<signal name=\"\(signal.name)\">\(types(signal.signature).map { "<arg type=\"\($0)\"/>" }.joined())</signal>"
    }

    private static func argument(_ type: String, _ direction: String) -> String {
        "<arg type=\"\(type)\" direction=\"\(direction)\"/>"
    }

    /// The single types of a signature.
    static func types(_ signature: String) -> [String] {
        var (types, current, depth) = ([String](), "", 0)
        for letter in signature {
            current.append(letter)
            depth += "({".contains(letter) ? 1 : ")}".contains(letter) ? -1 : 0
            if depth == 0, letter != "a" {
                types.append(current)
                current = ""
            }
        }
        return types
    }

    private static let standard = """
        <interface name="\(StandardInterface.properties)"><method name="Get"><arg type="s" direction="in"/>\
        <arg type="s" direction="in"/><arg type="v" direction="out"/></method><method name="GetAll">\
        <arg type="s" direction="in"/><arg type="a{sv}" direction="out"/></method><method name="Set">\
        <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="in"/></method>\
        <signal name="PropertiesChanged"><arg type="s"/><arg type="a{sv}"/><arg type="as"/></signal></interface>\
        <interface name="\(StandardInterface.introspection)"><method name="Introspect">\
        <arg type="s" direction="out"/></method></interface>
        """
}
