/// Facts about a device request that client, server and engine share. Each request has one row below, and nothing else
/// in the product decides any of this by the kind of a request.
package struct RequestTraits: Sendable {
    /// How many passcodes, or files, may come with it.
    package private(set) var descriptors: ClosedRange<Int> = 0...0
    /// Whether performing it twice does no harm. A wrong passcode would count twice.
    package private(set) var isRepeatable: Bool
    /// Whether it waits for nobody's passcode and walks over nothing.
    package private(set) var isBrief = false
    /// The log's name for a request that changes something or speaks for others; nil for one that only looks.
    package private(set) var logged: StaticString?
    /// How long it may take.
    package private(set) var duration = Duration.usual

    package enum Duration: Sendable {
        /// As long as a caller allows for a single request.
        case usual
        /// Ten times as long: it walks over everything, or needs several requests.
        case tenfold
        /// As long as any request may: SQLite's check of a whole file takes as long as it takes.
        case longest
        /// So many milliseconds longer than usual: a watch.
        case watching(UInt32)
    }

    /// A request that does no harm when it is performed twice.
    fileprivate static let repeatable = Self(isRepeatable: true)
    /// The same, answered at once.
    fileprivate static let brief = Self(isRepeatable: true, isBrief: true)
    /// A request that may not be performed twice.
    fileprivate static let once = Self(isRepeatable: false)

    private init(isRepeatable: Bool, isBrief: Bool = false) {
        (self.isRepeatable, self.isBrief) = (isRepeatable, isBrief)
    }

    fileprivate func with(_ descriptors: ClosedRange<Int>) -> Self { changed { $0.descriptors = descriptors } }
    fileprivate func logged(_ name: StaticString) -> Self { changed { $0.logged = name } }
    fileprivate func lasting(_ duration: Duration) -> Self { changed { $0.duration = duration } }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var traits = self
        change(&traits)
        return traits
    }
}

extension DeviceRequest {
    package var traits: RequestTraits {
        switch self {
        case .status, .details, .identity, .lastUnlock: .brief
        case .release: .repeatable
        case .examine: .repeatable.with(1...1)
        case .watch(_, let milliseconds): .repeatable.lasting(.watching(milliseconds))
        case .watchGroups(let watch): .repeatable.lasting(.watching(watch.milliseconds))
        case .verify: .repeatable.lasting(.longest)
        case .lock: .brief.logged("lock")
        case .changeSettings: .repeatable.logged("change settings")
        case .snapshot: .repeatable.logged("snapshot").lasting(.tenfold)
        case .unlock, .unlockWith: .once.with(1...1).logged("unlock")
        case .setPasscode: .once.with(1...2).logged("set password")
        case .replacePasscode: .once.with(2...2).logged("set password")
        case .removePasscode, .removePasscodeAndFiles: .once.with(1...1).logged("remove password")
        case .moveToTPM, .moveToSoftware: .once.with(1...1).logged("move enclave")
        case .addSlot: .once.with(1...2).logged("add unlock slot")
        case .removeSlot: .once.with(1...1).logged("remove unlock slot")
        case .acceptStore: .once.with(1...1).logged("accept store")
        case .setFileRecovery: .once.with(1...1).logged("set recovery recipients")
        case .access(let request): request.traits
        case .backup(let request): request.traits
        case .sync(let request): request.traits
        }
    }

    package var descriptors: ClosedRange<Int> { traits.descriptors }
}

extension AccessRequest {
    fileprivate var traits: RequestTraits {
        switch self {
        case .decisions: .brief
        // The largest number asks where to begin, and waits for the writer.
        case .changes(let number): number == .max ? .repeatable : .brief
        case .row, .keepRows, .others, .use: .repeatable
        case .orphans: .repeatable.lasting(.tenfold)
        case .why, .whyFile: .repeatable.logged("why").lasting(.tenfold)
        case .gather: .repeatable.logged("gather items").lasting(.tenfold)
        // Each of its item requests is noted by itself.
        case .work: .once.with(0...1).lasting(.tenfold)
        case .move(let move): .once.with(0...1).logged(move.isRename ? "rename group" : "move items").lasting(.tenfold)
        case .setPolicy: .once.with(0...1).logged("set group policy")
        case .uninstalled: .once.logged("uninstalled")
        }
    }
}

extension BackupRequest {
    fileprivate var traits: RequestTraits {
        switch self {
        case .begin: Self.part.with(2...2).logged("backup")
        case .open: Self.part.with(2...2).logged("open backup")
        case .survey, .next, .take, .end, .dates: Self.part
        }
    }

    private static let part = RequestTraits.once.lasting(.tenfold)
}

extension SyncRequest {
    fileprivate var traits: RequestTraits {
        switch self {
        case .status, .now, .positions, .seen, .invite, .seek, .recover, .discarded, .known,
            .pairing:
            .repeatable
        case .pause: .repeatable.logged("pause synchronisation")
        case .take, .next: .repeatable.with(1...1)
        case .committed(_, let isOccupied): .repeatable.with(isOccupied ? 1...1 : 0...0)
        case .wait(_, let milliseconds): .repeatable.lasting(.watching(milliseconds))
        }
    }
}
