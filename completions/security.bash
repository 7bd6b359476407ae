# bash completion for security(1), made by `security completions bash`.
_security_values() {
    security dump-keychain 2>/dev/null | sed -n "s/^    \"$1\"<blob>=\"\(.*\)\"$/\1/p" | sort -u
}
# Not by compgen -W, which would run what an item's name says in $(...).
_security_offer() {
    local value
    while IFS= read -r value; do
        if [[ "$value" == "$2"* ]]; then COMPREPLY+=("$(printf '%q' "$value")"); fi
    done < <(_security_values "$1")
}
_security() {
    COMPREPLY=()
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    local command="" words="" word
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case "$word" in
            -*) ;;
            *) command="$word"; break ;;
        esac
    done
    case "$command $previous" in
        "add-generic-password -a") _security_offer acct "$current"; return ;;
        "add-generic-password -s") _security_offer svce "$current"; return ;;
        "add-internet-password -a") _security_offer acct "$current"; return ;;
        "add-internet-password -s") _security_offer srvr "$current"; return ;;
        "find-generic-password -a") _security_offer acct "$current"; return ;;
        "find-generic-password -s") _security_offer svce "$current"; return ;;
        "delete-generic-password -a") _security_offer acct "$current"; return ;;
        "delete-generic-password -s") _security_offer svce "$current"; return ;;
        "find-internet-password -a") _security_offer acct "$current"; return ;;
        "find-internet-password -s") _security_offer srvr "$current"; return ;;
        "delete-internet-password -a") _security_offer acct "$current"; return ;;
        "delete-internet-password -s") _security_offer srvr "$current"; return ;;
    esac
    case "$command" in
        "") words="-c --color -E --ephemeral -h -i -M --macos-compat -p -q -S --system -V --version -v --json help list-keychains default-keychain login-keychain create-keychain delete-keychain lock-keychain unlock-keychain set-keychain-settings set-keychain-password show-keychain-info dump-keychain create-keypair add-generic-password add-internet-password add-certificates find-generic-password delete-generic-password find-internet-password delete-internet-password find-key item set-key-partition-list set-generic-password-partition-list set-internet-password-partition-list find-certificate find-identity delete-certificate delete-identity export import cms add-trusted-cert remove-trusted-cert dump-trust-settings trust-settings-export trust-settings-import verify-cert error status verify-keychain snapshot history undelete restore-item backup restore drill identity anchor move-enclave migrate-store accept-store list-unlock-slots add-unlock-slot remove-unlock-slot attest-key set-credential list-credentials delete-credential codesign file decisions why move-items rename-group orphans set-group-policy uninstalled ci-start ci-stop git-credential docker-credential setup import-from run inject completions list show copy generate add edit rm purge browse sync" ;;
        help) words="help list-keychains default-keychain login-keychain create-keychain delete-keychain lock-keychain unlock-keychain set-keychain-settings set-keychain-password show-keychain-info dump-keychain create-keypair add-generic-password add-internet-password add-certificates find-generic-password delete-generic-password find-internet-password delete-internet-password find-key item set-key-partition-list set-generic-password-partition-list set-internet-password-partition-list find-certificate find-identity delete-certificate delete-identity export import cms add-trusted-cert remove-trusted-cert dump-trust-settings trust-settings-export trust-settings-import verify-cert error status verify-keychain snapshot history undelete restore-item backup restore drill identity anchor move-enclave migrate-store accept-store list-unlock-slots add-unlock-slot remove-unlock-slot attest-key set-credential list-credentials delete-credential codesign file decisions why move-items rename-group orphans set-group-policy uninstalled ci-start ci-stop git-credential docker-credential setup import-from run inject completions list show copy generate add edit rm purge browse sync" ;;
        completions) words="bash zsh fish" ;;
        list-keychains) words="-d -s -o --orphans --json --help" ;;
        default-keychain) words="-d -s --json --help" ;;
        login-keychain) words="-d -s --json --help" ;;
        create-keychain) words="-P -p --json --help" ;;
        delete-keychain) words="-L --login -F --force -p --json --help" ;;
        lock-keychain) words="-a --json --help" ;;
        unlock-keychain) words="-p -u -R --recovery -N --pin --json --help" ;;
        set-keychain-settings) words="-l -u -t --json --help" ;;
        set-keychain-password) words="-o -p -f --force -R --recovery --json --help" ;;
        dump-keychain) words="-a -d -r -k --json --help" ;;
        create-keypair) words="-a -s -f -t -d -k -A -T -E --enclave --json --help" ;;
        add-generic-password) words="-a -c -C -D -G -j -l -s -p -w -X -A -T -N --anchored -U -k --json --help" ;;
        add-internet-password) words="-a -c -C -d -D -j -l -p -P -r -s -t -w -X -A -T -N --anchored -U -k --json --help" ;;
        add-certificates) words="-k --json --help" ;;
        find-generic-password) words="-a -c -C -D -G -j -l -s -g -w -k --json --help" ;;
        delete-generic-password) words="-a -c -C -D -G -j -l -s -F --forever -k --json --help" ;;
        find-internet-password) words="-a -c -C -d -D -j -l -p -P -r -s -t -g -w -k --json --help" ;;
        delete-internet-password) words="-a -c -C -d -D -j -l -p -P -r -s -t -F --forever -k --json --help" ;;
        find-key) words="-c -a -l -t -d -e -r -s -u -v -w --json --help" ;;
        item) words="-a -D -u -q -d -f -g -p -P -l -j -s --json --help" ;;
        set-key-partition-list) words="-a -l -t -d -e -r -s -u -v -w -S -k --json --help" ;;
        set-generic-password-partition-list) words="-a -c -C -D -G -j -l -s -S -k --json --help" ;;
        set-internet-password-partition-list) words="-a -c -C -d -D -j -l -p -P -r -s -t -S -k --json --help" ;;
        find-certificate) words="-a -c -e -m -p -Z --json --help" ;;
        find-identity) words="-p -s -v --json --help" ;;
        delete-certificate) words="-c -Z -t --json --help" ;;
        delete-identity) words="-c -Z -t --json --help" ;;
        export) words="-k -t -f -w -p -P -F --password-fd -L --legacy -o --json --help" ;;
        import) words="-k -t -f -P -F --password-fd -w -x -a -A -T -n --dry-run --json --help" ;;
        cms) words="-S -D -E -C -k -N -Z -r -H -i -o -c -T -G -n -u --json --help" ;;
        add-trusted-cert) words="-d -r -p -k --json --help" ;;
        remove-trusted-cert) words="-d --json --help" ;;
        dump-trust-settings) words="-d -s --json --help" ;;
        trust-settings-export) words="-d -s --json --help" ;;
        trust-settings-import) words="-d --json --help" ;;
        verify-cert) words="-c -r -p -n -s -e -d -k -C -L -l -N -P -t -v -R -q --json --help" ;;
        history) words="-a -c -l -s -F --forget --json --help" ;;
        undelete) words="-a -c -l -s --json --help" ;;
        restore-item) words="-t --at -a -c -l -s --json --help" ;;
        backup) words="-n --dry-run -R --recovery -p --passphrase --json --help" ;;
        restore) words="-n --dry-run -R --recovery --json --help" ;;
        drill) words="-R --recovery --json --help" ;;
        anchor) words="-c --create-group -f --force -g --group -l --list -r --remove --json --help" ;;
        move-enclave) words="-p --json --help" ;;
        migrate-store) words="-b --back -n --dry-run -y --yes --json --help" ;;
        accept-store) words="-p --json --help" ;;
        add-unlock-slot) words="-t -n --new-pin -R --recovery -N --pin --json --help" ;;
        remove-unlock-slot) words="-f -R --recovery -N --pin --json --help" ;;
        attest-key) words="-k -l -t -n -o --json --help" ;;
        codesign) words="-s --sign -e --entitlements -i --identifier -f --force -S --statements -v --verify -d --display -R --remove-signature -c --create-team-key -a --algorithm -P --passphrase -p --passphrase-fd -T --team-id -r --rotate -H --hand-over -t --to -o --output --json --help" ;;
        file) words="-c --class -D --this-device -s --shelf -u --require -r --range -R --recovery -N --none -i --identity -t --to -p --passphrase -f --force -g --group -o --output --json --help" ;;
        decisions) words="-f --follow --json --help" ;;
        why) words="-K --class -M --group -F --as -Y --sync -N --all -a -c -C -D -G -j -l -s -d -p -P -r -t --json --help" ;;
        move-items) words="-f --from -t --to -K --class -s --statement --json --help" ;;
        rename-group) words="-s --statement --json --help" ;;
        uninstalled) words="-A --all-users -d --stores --json --help" ;;
        ci-start) words="-n --name -w --password-fd -t --ttl -o --owner -f --format --json --help" ;;
        setup) words="-c --check -f --file-protection -l --system-library -n --dry-run -w --without-import -y --yes -u --undo -x --without-export --json --help" ;;
        import-from) words="-n --dry-run -u --undo -F --password-fd -U --json --help" ;;
        run) words="-e --env -E --env-file -A --all -d --fd -f --file -i --stdin -m --mask -c --keep-core -n --inherit -t --trust-file -a --allow -s --status-fd --json --help" ;;
        inject) words="-i --in-file -o --out-file -r --reveal -t --trust-file --json --help" ;;
        list) words="-c --color -e --fail-empty -H --heading -k --sort -l --long -n --limit -r --reverse --json --help" ;;
        show) words="-c --color -F --force-stdout -H --history -p --reveal --json --help" ;;
        copy) words="-1 --once -f --field -o --osc52 -t --clear --json --help" ;;
        generate) words="-c --copy -l --length -P --pin -R --rules -s --save -w --words --json --help" ;;
        add) words="-S --synchronizable -d --password-fd --json --help" ;;
        edit) words="-d --password-fd -p --password --json --help" ;;
        rm) words="-y --yes --json --help" ;;
        purge) words="-y --yes --json --help" ;;
        browse) words="-i --idle -l --linear -m --no-mouse -o --osc52 --json --help" ;;
        sync) words="-n --name -k --keep -i --invitation -R --restore -r --recovery --json --help" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
# Where there is no word to offer, files are.
complete -o default -F _security security
