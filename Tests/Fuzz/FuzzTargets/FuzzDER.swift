import DER
import LinuxSystem

/// Asks every element for everything it can be asked for; each must lie within the one around it.
private func visit(_ element: DERElement, _ bytes: Span<UInt8>) {
    _ = element.text(in: bytes)
    _ = try? element.time(in: bytes)
    _ = try? element.smallInteger(in: bytes)
    _ = try? element.objectIdentifier(in: bytes)
    _ = try? element.wholeBytes(in: bytes)
    for child in element.children {
        precondition(element.content.lowerBound <= child.encoding.lowerBound)
        precondition(child.encoding.upperBound <= element.content.upperBound)
        visit(child, bytes)
    }
}

/// DER and PEM of any kind are read or refused.
func fuzzDER(_ bytes: Span<UInt8>) {
    if let element = try? DERElement(parsing: bytes) { visit(element, bytes) }
    if let blocks = try? PEM.read(bytes) {
        for block in blocks { block.content.withSpan { _ = PEM.text(label: block.label, $0) } }
    }
}
