import LinuxSystem

/// Reads a text once, from its beginning to its end, and finds every secret in it, those within others too.
///
/// Each byte is read in all ways in which it may be meant (``WrittenByte``). A reading is a place in a tree of forms;
/// readings that have come to the same place are one.
struct MaskReader {
    /// A secret in the text, from its first byte to the one behind it.
    struct Finding {
        let name: Int
        var start, end: Int
    }

    private struct Reading {
        let node: FormTree.Node
        let root: Int
        let last: ReadingTrail.Cell
        /// How much was passed over behind the last unit, of ``WrittenByte/mostGaps``.
        let passed: Int32
        /// Whether each unit was written as itself. In each tree there is one such reading at most, and it is always
        /// followed.
        var isPlain: Bool
    }

    /// Every byte before it was read.
    private(set) var position = 0
    private(set) var findings: [Finding] = []
    /// The work so far, as nodes that were looked at. It grows with the text, and not with the secrets.
    private(set) var steps = 0

    private let tree: FormTree
    private let beginnings: FormBeginnings
    private var trail = ReadingTrail()
    private var mostCells = Self.fewestCells
    /// The readings that go on at the next places, each at its place modulo ``longestWritten``.
    private var ahead = [[Reading]](repeating: [], count: Self.longestWritten)

    /// The last place at which a reading goes on.
    private var furthest = -1

    /// More bytes than a unit has as an escape.
    private static let longestWritten = 64
    /// In each tree. A value of backslashes alone has more readings; those are followed that have come furthest.
    private static let mostReadings = 8
    private static let fewestCells = 1 << 14

    init(_ forms: [MaskedForm]) { (tree, beginnings) = (FormTree(forms), FormBeginnings(forms)) }

    /// The name of a form that was found.
    func name(of finding: Finding) -> String { tree.names[finding.name] }

    /// No finding to come begins before this place.
    var certain: Int {
        if position > furthest { return position }
        return ahead.joined().reduce(position) { min($0, start($1.last, tree.depth(of: $1.node))) }
    }

    /// Forgets findings that were dealt with.
    mutating func removeFindings(before place: Int) { findings.removeAll { $0.start < place } }

    /// Reads on.
    ///
    /// - Parameters:
    ///   - text: the bytes of the text from `start` on, which is not behind ``position``.
    ///   - isEnd: whether nothing more is waited for. Otherwise reading ends before what more bytes could change.
    mutating func read(in text: Span<UInt8>, from start: Int, isEnd: Bool) {
        while true {
            if position > furthest { skip(text, start) }
            let (offset, slot) = (position - start, position % Self.longestWritten)
            guard offset < text.count else { return }
            let begins = beginnings.mayBegin(text, at: offset)
            if !ahead[slot].isEmpty || begins {
                guard readByte(text, offset, slot, begins, isEnd) else { return }
                ahead[slot].removeAll(keepingCapacity: true)
            }
            position += 1
            if trail.count > mostCells { shorten() }
        }
    }

    /// Passes over bytes with which nothing begins.
    private mutating func skip(_ text: Span<UInt8>, _ start: Int) {
        var offset = position - start
        while offset < text.count, !beginnings.mayBegin(text, at: offset) { offset += 1 }
        position = start + offset
    }

    /// - Returns: false where more bytes could make another reading; then nothing was done.
    private mutating func readByte(
        _ text: Span<UInt8>, _ offset: Int, _ slot: Int, _ begins: Bool, _ isEnd: Bool
    ) -> Bool {
        let (written, isCut) = WrittenByte.readings(text, at: offset)
        if isCut, !isEnd { return false }
        var passing: [(reading: Reading, length: Int)] = []
        for reading in ahead[slot] {
            let gaps = WrittenByte.gaps(text, at: offset, in: tree.roots[reading.root].alphabet)
            guard mayPass(gaps.weight, reading, text[offset]) else { continue }
            if gaps.isCut, !isEnd { return false }
            let passed = reading.passed + gaps.weight
            for length in gaps.lengths {
                let same = Reading(
                    node: reading.node, root: reading.root, last: reading.last, passed: passed, isPlain: false)
                passing.append((same, length))
            }
        }
        for reading in ahead[slot] { goOn(reading, written) }
        for root in tree.roots.indices where begins && !ahead[slot].contains(where: { $0.root == root && $0.isPlain }) {
            begin(at: root, written)
        }
        for (reading, length) in passing { add(reading, at: position + length) }
        return true
    }

    /// Between the two digits of a byte nothing separates.
    private func mayPass(_ weight: Int32, _ reading: Reading, _ byte: UInt8) -> Bool {
        guard reading.passed + weight <= WrittenByte.mostGaps else { return false }
        let separates = byte == UInt8(ascii: " ") || byte == UInt8(ascii: ":")
        return !separates || tree.depth(of: reading.node) % 2 == 0
    }

    /// Begins to read forms here. A plain reading of the same tree has done so: it falls back as far as is necessary.
    private mutating func begin(at root: Int, _ written: [WrittenByte], isPlain: Bool = true) {
        let node = tree.roots[root].node
        goOn(Reading(node: node, root: root, last: ReadingTrail.start, passed: 0, isPlain: isPlain), written)
    }

    /// - Parameter written: what the bytes here may stand for, first the byte itself.
    private mutating func goOn(_ reading: Reading, _ written: [WrittenByte]) {
        for (index, byte) in written.enumerated() { goOn(reading, byte, isPlain: reading.isPlain && index == 0) }
    }

    private mutating func goOn(_ reading: Reading, _ written: WrittenByte, isPlain: Bool) {
        let alphabet = tree.roots[reading.root].alphabet
        guard written.count == 1 || alphabet == .bytes else { return }
        var (node, last) = (reading.node, reading.last)
        for index in 0..<written.count {
            guard let unit = alphabet.unit(of: written.byte(at: index)) else { return }
            node = tree.next(node, unit, steps: &steps)
            let depth = tree.depth(of: node)
            last = depth == 0 ? ReadingTrail.start : trail.append(to: last, at: position)
            guard let end = tree.end(at: node) else { continue }
            let beginning = start(last, end.units)
            note(Finding(name: end.name, start: beginning, end: position + written.length))
        }
        guard node != tree.roots[reading.root].node else { return }
        if tree.isOpen(node) { begin(at: reading.root, [written], isPlain: false) }
        let next = Reading(node: node, root: reading.root, last: last, passed: 0, isPlain: isPlain)
        add(next, at: position + written.length)
    }

    private mutating func note(_ finding: Finding) {
        if let last = findings.indices.last, findings[last].name == finding.name,
            findings[last].start <= finding.start, finding.start < findings[last].end
        {
            findings[last].end = max(findings[last].end, finding.end)
        } else {
            findings.append(finding)
        }
    }

    private mutating func add(_ reading: Reading, at place: Int) {
        let slot = place % Self.longestWritten
        furthest = max(furthest, place)
        let same = ahead[slot].firstIndex { $0.node == reading.node && $0.root == reading.root }
        guard let same else {
            if ahead[slot].count >= Self.mostReadings { makeRoom(for: reading, slot) }
            return ahead[slot].append(reading)
        }
        // Of two the one that has more of the text, and of these the one that may go on for longer.
        let (old, isPlain) = (ahead[slot][same], ahead[slot][same].isPlain || reading.isPlain)
        let places = (old: start(old.last, 1), new: start(reading.last, 1))
        let isBetter = (places.new, reading.passed) < (places.old, old.passed)
        if isBetter { ahead[slot][same] = reading }
        ahead[slot][same].isPlain = isPlain
    }

    /// Gives up the reading that has come least far, if there are too many in the tree of a new one.
    private mutating func makeRoom(for reading: Reading, _ slot: Int) {
        let others = ahead[slot].indices.filter { ahead[slot][$0].root == reading.root && !ahead[slot][$0].isPlain }
        guard others.count >= Self.mostReadings else { return }
        let least = others.min { tree.depth(of: ahead[slot][$0].node) < tree.depth(of: ahead[slot][$1].node) }
        if let least { ahead[slot].remove(at: least) }
    }

    /// Where in the text the last units of a reading begin.
    private func start(_ last: ReadingTrail.Cell, _ units: Int) -> Int { trail.place(last, back: units - 1) }

    /// Forgets the units that no reading needs any more.
    private mutating func shorten() {
        let readings = ahead.joined().map { (last: $0.last, units: tree.depth(of: $0.node)) }
        var cells = trail.shorten(readings).makeIterator()
        for slot in ahead.indices {
            ahead[slot] = ahead[slot].map {
                Reading(
                    node: $0.node, root: $0.root, last: cells.next() ?? $0.last, passed: $0.passed,
                    isPlain: $0.isPlain)
            }
        }
        mostCells = max(Self.fewestCells, trail.count * 2)
    }
}
