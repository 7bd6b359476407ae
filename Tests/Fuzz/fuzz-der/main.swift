// A fuzz target: DER and PEM of any kind are read or refused. `make fuzz` runs it.
import DER
import FuzzSupport

/// Asks every element for everything it can be asked for; each must lie within the one around it.
func visit(_ element: DERElement, _ bytes: Span<UInt8>) {
    _ = element.text(in: bytes)
    _ = try? element.time(in: bytes)
    _ = try? element.smallInteger(in: bytes)
    _ = try? element.objectIdentifier(in: bytes).dotted
    _ = try? element.wholeBytes(in: bytes)
    for child in element.children {
        precondition(element.content.lowerBound <= child.encoding.lowerBound)
        precondition(child.encoding.upperBound <= element.content.upperBound)
        visit(child, bytes)
    }
}

unsafe fuzz { start, count in
    let bytes = unsafe Span(_unsafeStart: start, count: count)
    if let element = try? DERElement(parsing: bytes) { visit(element, bytes) }
    if let blocks = try? PEM.read(bytes) {
        for block in blocks { block.content.withSpan { _ = PEM.text(label: block.label, $0) } }
    }
    return 0
}
