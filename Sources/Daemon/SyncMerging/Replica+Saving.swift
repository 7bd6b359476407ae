import LinuxSystem
package import SyncFormat

extension Replica {
    /// All of the state that is not in the rows and does not follow from what is here, in pieces. The store keeps them
    /// in the transaction of the rows that they belong to.
    ///
    /// Members and endorsements follow from the statements. Batches that wait are brought again: a carrier asks for
    /// what follows the end of each log.
    package var saved: [StateEntry] {
        own + marks + watched + contradictions + stated + announced + waitingRecords + beingCommitted
    }

    private var own: [StateEntry] {
        var found = [
            StateEntry(
                .machine,
                value: {
                    $0.add(number: StateEntry.version)
                    $0.add(id: circle)
                    $0.add(id: me)
                })
        ]
        if let introducer { found.append(StateEntry(.introducer, value: { $0.add(id: introducer) })) }
        if !isTrusted { found.append(StateEntry(.distrust)) }
        if mustPublish { found.append(StateEntry(.publishing)) }
        if risenFloor > 0 { found.append(StateEntry(.risenFloor, value: { $0.add(number: risenFloor) })) }
        return found + renewed.map { rid in StateEntry(.renewed, key: { $0.add(id: rid) }) }
    }

    private var marks: [StateEntry] {
        logs.flatMap { device, head in
            head.marks.map { seq, mark in
                StateEntry(.mark) {
                    $0.add(id: device)
                    $0.add(number: seq)
                } value: {
                    $0.add(mark: mark)
                }
            }
        }
    }

    private var watched: [StateEntry] {
        let claims = claims.flatMap { device, claims in
            claims.map { witness, claim in
                StateEntry(.claim) {
                    $0.add(id: device)
                    $0.add(id: witness)
                } value: {
                    $0.add(position: claim)
                }
            }
        }
        return claims + numbers(named, .named) + numbers(missing, .missing) + numbers(rolledBack, .rolledBack)
            + numbers(quarantined.mapValues(UInt64.init), .quarantined)
    }

    private func numbers(_ numbers: [MemberID: UInt64], _ kind: StateEntry.Kind) -> [StateEntry] {
        numbers.map { device, number in StateEntry(kind, key: { $0.add(id: device) }, value: { $0.add(number: number) })
        }
    }

    private var contradictions: [StateEntry] {
        let authors = doubted.map { author in
            StateEntry(.doubted, key: { $0.add(id: author) }, value: { $0.add(flag: statedForked.contains(author)) })
        }
        return authors
            + forks.map { fork in
                StateEntry(.fork) {
                    $0.add(id: fork.device)
                    $0.add(number: fork.seq)
                    $0.add(id: fork.witness)
                }
            }
    }

    private var stated: [StateEntry] {
        listed(stating, .stating) { $0.add(rest: $1.carried) } + listed(queued, .queued) { $0.add(statement: $1) }
    }

    private func listed<Element>(
        _ list: [Element], _ kind: StateEntry.Kind, _ add: (inout StateWriter, Element) -> Void
    ) -> [StateEntry] {
        list.enumerated().map { index, element in
            StateEntry(kind, key: { $0.add(index: index) }, value: { add(&$0, element) })
        }
    }

    private var announced: [StateEntry] {
        let ofMembers = snapshots.map { device, snapshot in
            StateEntry(.snapshot, key: { $0.add(id: device) }, value: { $0.add(snapshot: snapshot) })
        }
        let others: [(StateEntry.Kind, Announced?)] = [(.pledged, pledged), (.covered, covered), (.base, base)]
        return ofMembers
            + others.compactMap { kind, snapshot in
                snapshot.map { one in StateEntry(kind, value: { $0.add(snapshot: one) }) }
            }
    }

    private var waitingRecords: [StateEntry] {
        // A record in a box goes back to those that wait for an unlocked machine, which has to open it again.
        let boxed = held + future.map(\.record).filter(\.record.isBoxed)
        let open = future.map(\.record).filter { !$0.record.isBoxed }
        return listed(boxed, .held) { $0.add(waiting: $1) }
            + open.enumerated().map { index, waiting in
                StateEntry(
                    .future, key: { $0.add(index: index) }, value: { $0.add(waiting: waiting.withoutBody) },
                    secret: waiting.body)
            }
    }

    private var beingCommitted: [StateEntry] {
        guard let outgoing else { return [] }
        return [StateEntry(.outgoing, value: { outgoing.append(to: &$0) })]
            + listed(outgoing.parts, .part) { $0.add(rest: $1.bytes) }
    }
}

extension Replica.Outgoing {
    ///     outgoing = length:u32 batch content:u8 [count:u32 *position floor:u64 count:u32 *record]
    ///                count:u32 *(rid:16 hlc:u64 device:16) count:u32 *(rid:16 device:16 seq:u64)
    fileprivate func append(to writer: inout StateWriter) {
        writer.add(run: batch.bytes ?? [])
        writer.add(flag: content != nil)
        if let content { append(content, to: &writer) }
        writer.add(count: stamps.count)
        for (rid, stamp) in stamps.sorted(by: { $0.key < $1.key }) {
            writer.add(id: rid)
            writer.add(number: stamp.hlc)
            writer.add(id: stamp.device)
        }
        writer.add(count: passed.count)
        for (rid, place) in passed.sorted(by: { $0.key < $1.key }) {
            writer.add(id: rid)
            writer.add(place: place)
        }
    }

    private func append(_ content: SyncContent, to writer: inout StateWriter) {
        writer.add(count: content.positions.count)
        for position in content.positions { writer.add(position: position) }
        writer.add(number: content.floor)
        writer.add(count: content.records.count)
        for record in content.records { writer.add(record: record) }
    }
}

extension WaitingRecord {
    fileprivate var withoutBody: WaitingRecord {
        WaitingRecord(record.with(body: SecretBytes(count: 0), isBoxed: false), header, place)
    }

    fileprivate var body: StateEntry.Secret {
        StateEntry.Secret(record.withBody { SecretBytes(copying: $0) }, protection: record.protection)
    }
}

extension StateWriter {
    fileprivate mutating func add(snapshot: Announced) {
        add(position: snapshot.position)
        add(manifest: snapshot.manifest)
    }

    fileprivate mutating func add(waiting: WaitingRecord) {
        add(header: waiting.header)
        add(place: waiting.place)
        add(record: waiting.record)
    }

    fileprivate mutating func add(mark: LogHead.Mark) {
        add(hash: mark.hash)
        add(number: mark.floor)
        add(count: mark.said.count)
        for (device, seq) in mark.said.sorted(by: { $0.key < $1.key }) {
            add(place: SyncRecord.Origin(device: device, seq: seq))
        }
    }
}
