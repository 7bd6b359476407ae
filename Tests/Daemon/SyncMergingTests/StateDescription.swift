import LinuxSystem
import SyncFormat
import SyncMerging

/// Fields of a replica that are not in its saved form: rows are kept by the store, and batches that wait are brought
/// again. News are in a file of their own.
private let brought: Set<String> = [
    "rows", "waiting", "waitingSize", "sought", "introducing", "apart", "later", "clock", "lacksRoom", "hasNews",
    "repeatsRemovals",
]

/// The fields of a machine by their names, each in one spelling.
func fields(of replica: Replica<SimulatedRows>) -> [String: String] {
    var fields: [String: String] = [:]
    for (label, value) in Mirror(reflecting: replica).children {
        if let label, !brought.contains(label) { fields[label] = spelling(of: value) }
    }
    let sizes = Mirror(reflecting: replica).children.first { $0.label == "heldSize" }?.value as? [MemberID: Int]
    fields["heldSize"] = spelling(of: sizes?.filter { $0.value != 0 } ?? [:])
    return fields
}

private func spelling(of value: Any) -> String {
    switch value {
    case let bytes as [UInt8]: String(bytes.hashValue)
    case let id as any SyncIdentifier: String(id.number)
    case let batch as SyncBatch: spelling(of: batch.bytes ?? batch.carried)
    case let part as SnapshotPart: spelling(of: part.bytes)
    case let record as SyncRecord: spelling(of: record)
    default: spelling(ofParts: value)
    }
}

private func spelling(of record: SyncRecord) -> String {
    let head = [record.kind, record.itemClass, record.protection, record.isBoxed ? 1 : 0] + record.rid.bytes
    let body = record.withBody { $0.array(0, $0.count) }
    return "\(spelling(of: head)) \(record.hlc) \(spelling(of: record.origin as Any)) \(spelling(of: body))"
}

private func spelling(ofParts value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard !mirror.children.isEmpty else { return "\(value)" }
    var parts = mirror.children.map { "\($0.label ?? "")=\(spelling(of: $0.value))" }
    if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { parts.sort() }
    return "(\(parts.joined(separator: ",")))"
}
