package import KeychainPolicy
import LinuxSystem

extension IdentityRules {
    /// The groups that only an anchored program has. One is made of the path of a file that is marked, since a process
    /// of it that the kernel has not anchored is refused. The others are those that root gives on that condition.
    package func anchoredGroups(_ folders: EntitlementFolders) -> AnchoredGroups {
        guard let marker = anchorGroup else { return .none }
        return AnchoredGroups { [self] group in
            if let path = CallerIdentity.executable(ofOwnGroup: group) {
                // A path that is absent or not visible is no program that could have a mark.
                return (try? FileStatus(at: path)).map { isMarked($0, with: marker) } ?? false
            }
            let programs = folders.read().programs.values.filter { $0.granted.groups.contains(group) }
            return !programs.isEmpty && programs.allSatisfy(\.granted.requiresAnchor)
        }
    }
}
