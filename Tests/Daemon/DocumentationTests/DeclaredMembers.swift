/// The members that sources declare, as `Type.member`, by their lines' indentation, which `swift format` keeps.
struct DeclaredMembers {
    private static let types: Set<Substring> = ["class", "struct", "enum", "extension", "protocol"]
    private static let values: Set<Substring> = ["func", "var", "let"]

    private var names: Set<String> = []
    /// The types that a line is in, with the indentation they end at.
    private var enclosing: [(name: Substring, indentation: Int)] = []

    static func names(in lines: [Substring]) -> Set<String> {
        var members = DeclaredMembers()
        for line in lines { members.read(line) }
        return members.names
    }

    private mutating func read(_ line: Substring) {
        let indentation = line.prefix { $0 == " " }.count
        if line.dropFirst(indentation) == "}", let last = enclosing.last, last.indentation == indentation {
            enclosing.removeLast()
        }
        let words = line.split { " ,:=`({<".contains($0) }
        guard let first = words.first, !first.hasPrefix("//") else { return }
        if first == "case" { return words.dropFirst().forEach { add($0, at: indentation) } }
        let isPublic = words.contains("public") || words.contains("open")
        if let keyword = words.firstIndex(where: Self.values.contains), keyword + 1 < words.count {
            if isPublic { add(words[keyword + 1], at: indentation) }
        } else if let keyword = words.firstIndex(where: Self.types.contains), keyword + 1 < words.count {
            add(words[keyword + 1], at: indentation)
            if !line.hasSuffix("}") { enclosing.append((words[keyword + 1], indentation)) }
        } else if isPublic, line.contains("init(") {
            add("init", at: indentation)
        }
    }

    private mutating func add(_ name: Substring, at indentation: Int) {
        guard let type = enclosing.last, indentation == type.indentation + 4 else { return }
        names.insert("\(type.name).\(name)")
    }
}
