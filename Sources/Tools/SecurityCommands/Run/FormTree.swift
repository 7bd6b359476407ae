import LinuxSystem

/// The forms of all secrets as trees of their beginnings. A unit of a text is looked at once in each tree, however much
/// the forms repeat themselves and each other (Aho and Corasick 1975; failures as of Knuth, Morris and Pratt 1977).
///
/// Forms of bytes share a tree, and so do those of hexadecimal digits. A form of base64 has a tree of its own, because
/// its first and its last unit accept several digits.
struct FormTree {
    /// A place in a tree: the units of a form up to there were read.
    typealias Node = Int32

    struct Root {
        let node: Node
        let alphabet: MaskedForm.Alphabet
    }

    private(set) var roots: [Root] = []
    private(set) var names: [String] = []
    /// The last unit of each node.
    private let units = SecretBuffer(capacity: 0)
    private var traits: [UInt8] = []
    private var depths: [Int32] = []
    /// The longest other beginning that was read as well, where it can go on as this one cannot.
    private var failures: [Node] = []
    /// Children that do not stand right behind their parent.
    private var others: [Node: [Node]] = [:]
    private var looseBits: [Node: UInt8] = [:]
    /// The longest form that is complete at a node, as its name's number and its units.
    private var ends: [Node: (name: Int, units: Int)] = [:]

    /// The next node in order is a child.
    private static let hasNext: UInt8 = 1
    private static let hasOthers: UInt8 = 2
    /// Not all bits of the unit count.
    private static let isLoose: UInt8 = 4

    init(_ forms: [MaskedForm]) {
        let shared = addRoots(forms)
        for (index, form) in forms.enumerated() { insert(form, at: shared[index]) }
        link()
    }

    /// How many units were read at a node.
    func depth(of node: Node) -> Int { Int(depths[Int(node)]) }

    /// The form that is complete at a node; nil for none.
    func end(at node: Node) -> (name: Int, units: Int)? { ends[node] }

    /// Whether a form ends in the middle of a unit: another one may begin in the same.
    func isOpen(_ node: Node) -> Bool { traits[Int(node)] & Self.isLoose != 0 && ends[node] != nil }

    /// Reads a unit.
    ///
    /// - Parameter steps: counts the nodes that were looked at.
    func next(_ node: Node, _ unit: UInt8, steps: inout Int) -> Node {
        units.withSpan { units in
            var node = node
            while true {
                steps += 1
                if let child = child(of: node, accepting: unit, units) { return child }
                if depths[Int(node)] == 0 { return node }
                node = failures[Int(node)]
            }
        }
    }

    private func child(of node: Node, accepting unit: UInt8, _ units: Span<UInt8>) -> Node? {
        let trait = traits[Int(node)]
        if trait & Self.hasNext != 0, accepts(node + 1, unit, units) { return node + 1 }
        guard trait & Self.hasOthers != 0, let more = others[node] else { return nil }
        return more.first { accepts($0, unit, units) }
    }

    private func accepts(_ node: Node, _ unit: UInt8, _ units: Span<UInt8>) -> Bool {
        let own = units[Int(node)]
        if traits[Int(node)] & Self.isLoose == 0 { return unit == own }
        return unit & (looseBits[node] ?? 0xFF) == own
    }

    private func children(of node: Node) -> [Node] {
        (traits[Int(node)] & Self.hasNext != 0 ? [node + 1] : []) + (others[node] ?? [])
    }
}

// MARK: - Building

extension FormTree {
    /// Makes the root of each form's tree.
    private mutating func addRoots(_ forms: [MaskedForm]) -> [Node] {
        var shared: [MaskedForm.Alphabet: Node] = [:]
        return forms.map { form in
            if form.alphabet != .base64, let root = shared[form.alphabet] { return root }
            let root = add(unit: 0, depth: 0)
            roots.append(Root(node: root, alphabet: form.alphabet))
            shared[form.alphabet] = root
            return root
        }
    }

    private mutating func add(unit: UInt8, depth: Int32) -> Node {
        units.append(unit)
        traits.append(0)
        depths.append(depth)
        failures.append(0)
        return Node(traits.count - 1)
    }

    private mutating func insert(_ form: MaskedForm, at root: Node) {
        var node = root
        form.units.withSpan { own in
            for index in own.indices {
                node = self.units.withSpan { child(of: node, accepting: own[index], $0) } ?? added(own[index], to: node)
                let bits = form.bits(at: index)
                guard bits != 0xFF else { continue }
                traits[Int(node)] |= Self.isLoose
                looseBits[node] = bits
            }
        }
        guard ends[node] == nil else { return }
        ends[node] = (names.count, form.units.count)
        names.append(form.name)
    }

    private mutating func added(_ unit: UInt8, to parent: Node) -> Node {
        let node = add(unit: unit, depth: depths[Int(parent)] + 1)
        if node == parent + 1, depths[Int(parent)] > 0 {
            traits[Int(parent)] |= Self.hasNext
        } else {
            traits[Int(parent)] |= Self.hasOthers
            others[parent, default: []].append(node)
        }
        return node
    }

    /// Finds the failures: first the longest other beginning of each node, then the first of these that helps.
    private mutating func link() {
        for root in roots { link(below: root.node) }
    }

    private mutating func link(below root: Node) {
        failures[Int(root)] = root
        var (order, index) = ([root], 0)
        while index < order.count {
            let node = order[index]
            index += 1
            for child in children(of: node) {
                let failure = node == root ? root : otherBeginning(of: child, from: node, root)
                failures[Int(child)] = failure
                if ends[child] == nil { ends[child] = ends[failure] }
                order.append(child)
            }
        }
        // A node is nearer to the root than those that fail to it, and theirs are already the short ones.
        for node in order where node != root {
            let failure = failures[Int(node)]
            if failure != root, isUseless(failure, after: node) { failures[Int(node)] = failures[Int(failure)] }
        }
    }

    private func otherBeginning(of child: Node, from parent: Node, _ root: Node) -> Node {
        guard traits[Int(child)] & Self.isLoose == 0 else { return root }
        return units.withSpan { units in
            var failure = failures[Int(parent)]
            while true {
                if let found = self.child(of: failure, accepting: units[Int(child)], units) { return found }
                if failure == root { return root }
                failure = failures[Int(failure)]
            }
        }
    }

    /// Whether every unit that leads on from one node does so from another, too.
    private func isUseless(_ failure: Node, after node: Node) -> Bool {
        units.withSpan { units in
            children(of: failure).allSatisfy { child in
                traits[Int(child)] & Self.isLoose == 0
                    && self.child(of: node, accepting: units[Int(child)], units) != nil
            }
        }
    }
}
