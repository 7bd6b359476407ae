import KeychainPolicy

/// The turn that a waiting element takes: that of a user, and in it that of a program.
///
///     user ─┬─ program that root has installed;
///           ├─ programs that are signed, or in a sandbox ────┬─ program
///           │                                                └─ program;
///           ├─ programs in places that a user may write to ──┬─ program
///           │                                                └─ program;
///           └─ processes of which nothing is known yet ──────┬─ process
///                                                            └─ process
///
/// Anyone who can write a file can have a hundred programs. Programs that are known by their path alone therefore share
/// one turn, unless only root writes to the path. Anyone who can make one team's key can make a hundred as well, and a
/// sandbox for each of a hundred names: those programs share another turn.
struct Standing: Hashable, Sendable {
    /// The way down to the program.
    let path: [String]

    init(_ caller: CallerIdentity) {
        let owner = caller.owner
        path = [String(caller.user), Self.turn(of: caller) ?? owner, owner]
    }

    /// The turn of a process of which nothing is known but its number. Such processes share a turn of their own, so
    /// that a known program does not wait behind all that are unknown.
    init(process: Int32, of user: UInt32) { path = [String(user), "unknown", "process \(process)"] }

    /// Those that share its turn have the same.
    var turn: ArraySlice<String> { path.dropLast() }
    /// Whether there may be others: who has a turn of its own gives it its name.
    var sharesTurn: Bool { path[1] != path[2] }

    private static let installed = ["/usr/bin/", "/usr/sbin/", "/usr/lib/", "/usr/libexec/", "/bin/", "/sbin/"]

    /// The name of the turn that a program shares; nil where it has its own.
    private static func turn(of caller: CallerIdentity) -> String? {
        switch caller.provenance {
        case .installed, .unit: nil
        case .signed, .sandboxed: "signed"
        case .unsigned, .claimed, .misclaimed: installed.contains { caller.program.hasPrefix($0) } ? nil : ""
        }
    }
}

/// The waiting elements, in the order in which they are due. A turn goes round among users, in a user's turn among the
/// user's programs. A program's own elements come in the order in which they were put.
struct FairQueue<Element> {
    /// How many of one program may be under way, and of all that share a turn.
    private let most: [Int]
    private let root = Branch()

    /// - Parameters:
    ///   - running: how many of one program may be under way at a time.
    ///   - shared: how many of those may that share a turn.
    init(running: Int = .max, shared: Int = .max) { most = [.max, .max, shared, running] }

    private final class Branch {
        var elements = Line<Element>()
        var branches: [String: Branch] = [:]
        /// The names of those that have something, the next one in front.
        var turns: [String] = []
        var running = 0

        var isEmpty: Bool { elements.isEmpty && turns.isEmpty }
    }

    mutating func put(_ element: Element, of standing: Standing) {
        var branch = root
        for name in standing.path {
            let next = branch.branches[name] ?? Branch()
            if next.isEmpty { branch.turns.append(name) }
            branch.branches[name] = next
            branch = next
        }
        branch.elements.append(element)
    }

    /// Takes out what is due next, which is under way then until it is said to be ``finished(of:)``.
    ///
    /// - Parameter isWanted: asked of the first of each program; others wait behind it.
    mutating func take(where isWanted: (Element) -> Bool = { _ in true }) -> Element? { take(from: root, 0, isWanted) }

    /// One of a program's is no longer under way.
    mutating func finished(of standing: Standing) { finish(standing.path[...], in: root) }

    private func take(from branch: Branch, _ depth: Int, _ isWanted: (Element) -> Bool) -> Element? {
        guard branch.running < most[depth] else { return nil }
        if let first = branch.elements.first {
            guard isWanted(first) else { return nil }
            branch.running += 1
            return branch.elements.removeFirst()
        }
        for (index, name) in branch.turns.enumerated() {
            guard let next = branch.branches[name], let found = take(from: next, depth + 1, isWanted) else { continue }
            branch.running += 1
            branch.turns.remove(at: index)
            if !next.isEmpty { branch.turns.append(name) }
            return found
        }
        return nil
    }

    private func finish(_ path: ArraySlice<String>, in branch: Branch) {
        branch.running -= 1
        guard let name = path.first, let next = branch.branches[name] else { return }
        finish(path.dropFirst(), in: next)
        if next.isEmpty, next.running == 0 { branch.branches[name] = nil }
    }
}

/// Elements in the order in which they came.
struct Line<Element> {
    private var elements: [Element] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }
    var first: Element? { isEmpty ? nil : elements[start] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func removeFirst() -> Element {
        defer {
            start += 1
            // Moving what is left costs no more than taking out what has gone did.
            if start * 2 > elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}
