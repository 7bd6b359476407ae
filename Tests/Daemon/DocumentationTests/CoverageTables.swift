import LinuxSystem

/// Which of the symbols of Apple's public headers there are: held against the declarations in the modules' sources.
///
/// A line of `docs/coverage-symbols.tsv` is a header, a symbol as C has it, and how Swift names it where that is
/// different; a member is named with its type.
enum CoverageTables {
    enum State: String, CaseIterable {
        case implemented
        /// Declared; answers that it does nothing here.
        case failsClosed = "fails closed"
        case absent
    }

    struct Symbol {
        let header: String
        let name: String
        /// How Swift programs name it.
        let swiftName: String
    }

    /// How many of each state every header has.
    static var counts: String {
        let rows = headers.map { header in
            let states = symbols.filter { $0.header == header }.map(state)
            return ["`\(header)`"] + State.allCases.map { state in "\(states.count { $0 == state })" }
        }
        let all = symbols.map(state)
        let sums = ["all"] + State.allCases.map { state in "\(all.count { $0 == state })" }
        return markdown(["header"] + State.allCases.map(\.rawValue), rows + [sums])
    }

    /// The symbols that are not implemented, by header.
    static var exceptions: String {
        let rows = headers.flatMap { header in
            [State.failsClosed, .absent].compactMap { wanted -> [String]? in
                let names = symbols.filter { $0.header == header && state($0) == wanted }.map { "`\($0.name)`" }
                return names.isEmpty ? nil : ["`\(header)`", wanted.rawValue, names.joined(separator: ", ")]
            }
        }
        return markdown(["header", "", "symbols"], rows)
    }

    static func state(_ symbol: Symbol) -> State {
        if symbol.swiftName.contains(".") {
            return symbol.swiftName.hasSuffix(".[]") || members.contains(symbol.swiftName) ? .implemented : .absent
        }
        guard declared.contains(symbol.swiftName) else { return .absent }
        return refusing.contains(symbol.swiftName) ? .failsClosed : .implemented
    }

    /// Whether programs can name something, as C's headers or as Swift does.
    static func isDeclared(_ name: String) -> Bool {
        declared.contains(name) || symbols.contains { $0.name == name && state($0) != .absent }
    }

    static let symbols: [Symbol] = text("docs/coverage-symbols.tsv").split(separator: "\n").map { line in
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        return Symbol(header: fields[0], name: fields[1], swiftName: fields[2].isEmpty ? fields[1] : fields[2])
    }

    private static var headers: [String] {
        symbols.reduce(into: []) { headers, symbol in
            if headers.last != symbol.header { headers.append(symbol.header) }
        }
    }
}

/// The declarations in the sources of the modules.
extension CoverageTables {
    private static let lines = ["Security", "LocalAuthentication"].flatMap { module in
        sources(below: "Sources/API/\(module)").flatMap { source in
            source.split(separator: "\n", omittingEmptySubsequences: false)
        }
    }

    /// Public functions, constants, variables and types of the modules' top level.
    private static let declared = Set(lines.compactMap { $0.hasPrefix(" ") ? nil : name(in: $0) })
    /// Members of their types.
    private static let members = DeclaredMembers.names(in: lines)

    /// Functions that answer nothing but that they do nothing here.
    private static let refusing: Set<String> = {
        var (names, current) = (Set<String>(), nil as String?)
        for line in lines {
            if line.hasPrefix("public func") || line.hasPrefix("@discardableResult public func") {
                current = name(in: line)
            }
            if let name = current, line.contains("notHere(") || line.contains("return errSecCSUnimplemented") {
                names.insert(name)
            }
            if line == "}" { current = nil }
        }
        return names
    }()

    private static let keywords: Set<Substring> = ["func", "let", "var", "class", "struct", "enum"]
    private static let signs: Set<Substring> = ["public", "open", "@discardableResult"]

    private static func name(in line: Substring) -> String? {
        let words = line.split { " (:=<`".contains($0) }
        guard words.contains(where: signs.contains) else { return nil }
        guard let keyword = words.firstIndex(where: keywords.contains), keyword + 1 < words.count else { return nil }
        return String(words[keyword + 1])
    }

    private static func sources(below folder: String) -> [String] {
        let names = (try? FolderEntries.names(in: Page.root + folder)) ?? []
        return names.flatMap { name in
            name.hasSuffix(".swift") ? [text("\(folder)/\(name)")] : sources(below: "\(folder)/\(name)")
        }
    }

    private static func text(_ path: String) -> String {
        (try? AtomicFile.read(Page.root + path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
