package import KeychainModel
package import SyncFormat
package import SyncTransports

/// Where the batches of a circle are: a folder's absolute path, with `folder:` before it or without.
package enum CarrierPlace {
    /// The transport of a place.
    ///
    /// - Throws: `errSecParam` for a place that this release cannot use.
    package static func transport(_ place: String, circle: CircleID) throws(Refusal) -> any SyncTransport {
        FolderTransport(try folder(place), circle: circle)
    }

    /// The messages of pairings at a place.
    ///
    /// - Throws: `errSecParam` for a place that this release cannot use.
    package static func pairings(_ place: String) throws(Refusal) -> any PairingPlace {
        FolderPairings(try folder(place))
    }

    private static func folder(_ place: String) throws(Refusal) -> String {
        let path = place.hasPrefix("folder:") ? String(place.dropFirst("folder:".count)) : place
        guard path.hasPrefix("/") else { throw unusable(place) }
        return path
    }

    private static func unusable(_ place: String) -> Refusal {
        let scheme = place.prefix { $0 != ":" }
        return Refusal(
            .param, .wrongValue, String(scheme), "A circle's batches cannot be kept at such a place in this release.",
            do: "Use a folder that all machines have, by its absolute path.")
    }
}
