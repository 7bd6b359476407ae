#compdef security
# zsh completion for security(1), made by `security completions zsh`.
_security_values() {
    security dump-keychain 2>/dev/null | sed -n "s/^    \"$1\"<blob>=\"\(.*\)\"$/\1/p" | sort -u
}
_security_offer() {
    local -a values
    values=(${(f)"$(_security_values $1)"})
    compadd -a values
}
_security() {
    local -a commands
    commands=(
        'help:Show all commands, or show usage for a command.'
        'list-keychains:Show or set the search list of keychains.'
        'default-keychain:Show or set the default keychain.'
        'login-keychain:Show the login keychain.'
        'create-keychain:Create keychains and add them to the search list.'
        'delete-keychain:Delete keychains and remove them from the search list.'
        'lock-keychain:Lock a keychain.'
        'unlock-keychain:Unlock a keychain.'
        'set-keychain-settings:Set when the keychain locks by itself.'
        'set-keychain-password:Set the password of the keychain.'
        'show-keychain-info:Show the settings of the keychain.'
        'dump-keychain:Show all items of the keychain.'
        'create-keypair:Create an asymmetric key pair.'
        'add-generic-password:Add a generic password item.'
        'add-internet-password:Add an internet password item.'
        'add-certificates:Add certificates to a keychain.'
        'find-generic-password:Find a generic password item.'
        'delete-generic-password:Delete a generic password item.'
        'find-internet-password:Find an internet password item.'
        'delete-internet-password:Delete an internet password item.'
        'find-key:Find keys.'
        'item:Add, find, change or delete items by their attributes.'
        'set-key-partition-list:Set the partition list of keys; without effect.'
        'set-generic-password-partition-list:Set the partition list of generic passwords; without effect.'
        'set-internet-password-partition-list:Set the partition list of internet passwords; without effect.'
        'find-certificate:Find a certificate item.'
        'find-identity:Find an identity (certificate and private key).'
        'delete-certificate:Delete a certificate from a keychain.'
        'delete-identity:Delete an identity from a keychain.'
        'export:Export certificates and keys from a keychain.'
        'import:Import certificates and keys from a file.'
        'cms:Encode or decode CMS messages.'
        'add-trusted-cert:Add a trusted certificate.'
        'remove-trusted-cert:Remove a trusted certificate.'
        'dump-trust-settings:Display contents of trust settings.'
        'trust-settings-export:Export trust settings.'
        'trust-settings-import:Import trust settings.'
        'verify-cert:Verify certificates.'
        'error:Show what the given error codes mean.'
        'status:Show how the keychain is protected, its lock state and where it is.'
        'verify-keychain:Check that every item of the keychain can be opened.'
        'snapshot:Make a consistent copy of the keychain'\''s store while it is in use.'
        'history:Show the earlier versions of items, and deleted items.'
        'undelete:Bring a deleted item back.'
        'restore-item:Give an item what it had at an earlier time.'
        'backup:Write the items that may leave this device into a sealed file.'
        'restore:Put the items of a backup into the keychain, next to what is there.'
        'drill:Check that a backup opens, and say what a restore would give.'
        'identity:Show how the keychain identifies a program, and its access groups.'
        'anchor:Let the kernel keep other programs of the user out of a program.'
        'move-enclave:Move the keychain'\''s keys into the machine'\''s TPM, or out of it.'
        'migrate-store:Move what was stored before the system service came into the service'\''s keychain.'
        'accept-store:Say that a store from a copy is meant, although it is older.'
        'list-unlock-slots:List what opens the keychain.'
        'add-unlock-slot:Add a way to unlock the keychain.'
        'remove-unlock-slot:Remove a way to unlock the keychain.'
        'attest-key:Let the TPM prove that a key was made in it.'
        'set-credential:Store a credential of a systemd unit in the system'\''s keychain.'
        'list-credentials:List the credentials of systemd units, without their values.'
        'delete-credential:Delete a credential of a systemd unit.'
        'codesign:Sign an executable with entitlements, verify or show a signature.'
        'file:Encrypt files with keys that the keychain gives out, and read them.'
        'decisions:Show who asked the keychain for what lately, and what was decided.'
        'why:Explain what a search finds, or what keeps a protected file closed.'
        'move-items:Give the items of an access group another group.'
        'rename-group:Give an access group another name.'
        'orphans:List the access groups whose programs are gone, with how many items they have.'
        'set-group-policy:Set what becomes of a group'\''s items when its last program is removed.'
        'uninstalled:Tell the keychain that programs were removed; for package scripts.'
        'ci-start:Start a keychain in memory for one job, and print the variables that lead to it.'
        'ci-stop:End the keychain that ci-start has started.'
        'git-credential:Serve git as its credential helper.'
        'docker-credential:Serve docker as its credential helper.'
        'setup:Make git, docker, the desktop or a Swift package use the keychain.'
        'import-from:Add to the keychain what another keyring or program for passwords has.'
        'run:Start a command with passwords of the keychain in its environment.'
        'inject:Write a file from a template, with passwords of the keychain in it.'
        'completions:Print the completion script for a shell.'
        'list:List items, narrowed by words and filters.'
        'show:Show an item; its value only where that is asked for.'
        'copy:Copy an item'\''s password to the clipboard for a while.'
        'generate:Generate a password.'
        'add:Add a password.'
        'edit:Change an item.'
        'rm:Delete items; undelete brings them back.'
        'purge:Delete items for ever, with their earlier versions.'
        'browse:Look through the keychain on the whole terminal.'
        'sync:Keep the synchronisable items of this keychain on several machines.'
    )
    local context state line
    _arguments -C \
        {-c,--color}'[Colour the output\: auto (the default), always or never.]:when: ' \
        {-E,--ephemeral}'[Use a keychain in memory, which ends with this process or what it becomes.]' \
        '-h[Show all commands, or the usage of those that follow.]' \
        '-i[Read commands from standard input, line by line.]' \
        {-M,--macos-compat}'[Write what macOS'\''s command writes, byte for byte, and nothing else.]' \
        '-p[Use this prompt (implies -i).]:prompt: ' \
        '-q[Be less verbose.]' \
        {-S,--system}'[Use the system'\''s keychain in place of the user'\''s.]' \
        {-V,--version}'[Show the releases of the command and of the daemon that runs.]' \
        '-v[Be more verbose\: show each command, and say what a person should know.]' \
        '--json[Write JSON.]' \
        '1: :->command' '*:: :->rest'
    case $state in
        command) _describe command commands ;;
        rest)
            case $words[1] in
                help) _describe command commands ;;
                completions) _values shell bash zsh fish ;;
                list-keychains) _arguments -S \
                    '-d[user (the default), system, common or dynamic.]:domain: ' \
                    '-s[Set the list to these keychains; without one, to none.]' \
                    {-o,--orphans}'[Show the stores whose name file has gone, with the path it had.]' \
                    '--json[Write JSON.]' ;;
                default-keychain) _arguments -S \
                    '-d[user (the default), system, common or dynamic.]:domain: ' \
                    '-s[Set the default; without a keychain, back to login'\''s.]' \
                    '--json[Write JSON.]' ;;
                login-keychain) _arguments -S \
                    '-d[user (the default), system, common or dynamic.]:domain: ' \
                    '-s[Refused\: the login keychain is always the same.]' \
                    '--json[Write JSON.]' ;;
                create-keychain) _arguments -S \
                    '-P[Ask for the password, also when -p gives one.]' \
                    '-p[The password of the new keychains; may be empty.]:password: ' \
                    '--json[Write JSON.]' ;;
                delete-keychain) _arguments -S \
                    {-L,--login}'[Delete the login keychain too; takes its password.]' \
                    {-F,--force}'[Delete one that does not open, whatever it holds.]' \
                    '-p[The keychain'\''s password, where it is needed.]:password: ' \
                    '--json[Write JSON.]' ;;
                lock-keychain) _arguments -S \
                    '-a[Lock the login keychain and all of the search list.]' \
                    '--json[Write JSON.]' ;;
                unlock-keychain) _arguments -S \
                    '-p[The keychain'\''s password.]:password: ' \
                    '-u[Do not use a password\: fail if the keychain is locked.]' \
                    {-R,--recovery}'[Ask for a recovery code instead of the password.]' \
                    {-N,--pin}'[Ask for the PIN instead of the password.]' \
                    '--json[Write JSON.]' ;;
                set-keychain-settings) _arguments -S \
                    '-l[Lock when the machine goes to sleep.]' \
                    '-u[Lock after a time without use; takes -t.]' \
                    '-t[The time without use, in seconds; implies -u.]:seconds: ' \
                    '--json[Write JSON.]' ;;
                set-keychain-password) _arguments -S \
                    '-o[The old password.]:password: ' \
                    '-p[The new password; empty to have none.]:password: ' \
                    {-f,--force}'[Remove the password although protected files are lost with it.]' \
                    {-R,--recovery}'[The old password is forgotten\: ask for a recovery code instead.]' \
                    '--json[Write JSON.]' ;;
                dump-keychain) _arguments -S \
                    '-a[Also show who may use each item, and when.]' \
                    '-d[Also show the values of the items that were added with this command.]' \
                    '-r[Accepted for old scripts; the encrypted bytes are not handed out.]' \
                    '-k[The keychain; as an operand at the end.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                create-keypair) _arguments -S \
                    '-a[rsa (unless one is given) or ec.]:alg: ' \
                    '-s[In bits\: 3072 for rsa and 256 for ec, unless given.]:size: ' \
                    '-f[Accepted for old scripts; changes nothing.]:date: ' \
                    '-t[Accepted for old scripts; changes nothing.]:date: ' \
                    '-d[Accepted for old scripts; changes nothing.]:days: ' \
                    '-k[The keychain to keep the pair in.]:keychain: ' \
                    '-A[Accepted for old scripts; changes nothing.]' \
                    '-T[Accepted for old scripts; changes nothing.]:program: ' \
                    {-E,--enclave}'[Make a private key that never leaves the Secure Enclave.]' \
                    '--json[Write JSON.]' ;;
                add-generic-password) _arguments -S \
                    '-a[Set the account name.]:account: _security_offer acct' \
                    '-c[Set the creator (four characters).]:creator: ' \
                    '-C[Set the type (four characters).]:type: ' \
                    '-D[Set the kind of item, in words.]:kind: ' \
                    '-G[Set the generic attribute.]:value: ' \
                    '-j[Set the comment.]:comment: ' \
                    '-l[Set the label.]:label: ' \
                    '-s[Set the service name.]:service: _security_offer svce' \
                    '-p[The same as -w, for old scripts.]:password: ' \
                    '-w[The password; as the last option without a value\: ask for it.]:password: ' \
                    '-X[The password in hexadecimal.]:hex: ' \
                    '-A[Accepted for old scripts; changes nothing.]' \
                    '-T[Accepted for old scripts; changes nothing.]:program: ' \
                    {-N,--anchored}'[Only an anchored program of the item'\''s group may read it.]' \
                    '-U[Update the item if there is one already.]' \
                    '-k[The keychain; as an operand at the end.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                add-internet-password) _arguments -S \
                    '-a[Set the account name.]:account: _security_offer acct' \
                    '-c[Set the creator (four characters).]:creator: ' \
                    '-C[Set the type (four characters).]:type: ' \
                    '-d[Set the security domain.]:domain: ' \
                    '-D[Set the kind of item, in words.]:kind: ' \
                    '-j[Set the comment.]:comment: ' \
                    '-l[Set the label.]:label: ' \
                    '-p[Set the path on the server.]:path: ' \
                    '-P[Set the port number.]:port: ' \
                    '-r[Set the protocol (four characters, such as "htps" or "ftp ").]:protocol: ' \
                    '-s[Set the server name.]:server: _security_offer srvr' \
                    '-t[Set the authentication type (four characters, such as "dflt").]:type: ' \
                    '-w[The password; as the last option without a value\: ask for it.]:password: ' \
                    '-X[The password in hexadecimal.]:hex: ' \
                    '-A[Accepted for old scripts; changes nothing.]' \
                    '-T[Accepted for old scripts; changes nothing.]:program: ' \
                    {-N,--anchored}'[Only an anchored program of the item'\''s group may read it.]' \
                    '-U[Update the item if there is one already.]' \
                    '-k[The keychain; as an operand at the end.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                add-certificates) _arguments -S \
                    '-k[The keychain to add to.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                find-generic-password) _arguments -S \
                    '-a[Match the account name.]:account: _security_offer acct' \
                    '-c[Match the creator (four characters).]:creator: ' \
                    '-C[Match the type (four characters).]:type: ' \
                    '-D[Match the kind of item, in words.]:kind: ' \
                    '-G[Match the generic attribute.]:value: ' \
                    '-j[Match the comment.]:comment: ' \
                    '-l[Match the label.]:label: ' \
                    '-s[Match the service name.]:service: _security_offer svce' \
                    '-g[Also show the password, on standard error.]' \
                    '-w[Show only the password, on standard output.]' \
                    '-k[The keychain; as an operand at the end.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                delete-generic-password) _arguments -S \
                    '-a[Match the account name.]:account: _security_offer acct' \
                    '-c[Match the creator (four characters).]:creator: ' \
                    '-C[Match the type (four characters).]:type: ' \
                    '-D[Match the kind of item, in words.]:kind: ' \
                    '-G[Match the generic attribute.]:value: ' \
                    '-j[Match the comment.]:comment: ' \
                    '-l[Match the label.]:label: ' \
                    '-s[Match the service name.]:service: _security_offer svce' \
                    {-F,--forever}'[Keep no earlier version of the item, and drop those there are.]' \
                    '-k[The keychain; as an operand at the end.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                find-internet-password) _arguments -S \
                    '-a[Match the account name.]:account: _security_offer acct' \
                    '-c[Match the creator (four characters).]:creator: ' \
                    '-C[Match the type (four characters).]:type: ' \
                    '-d[Match the security domain.]:domain: ' \
                    '-D[Match the kind of item, in words.]:kind: ' \
                    '-j[Match the comment.]:comment: ' \
                    '-l[Match the label.]:label: ' \
                    '-p[Match the path on the server.]:path: ' \
                    '-P[Match the port number.]:port: ' \
                    '-r[Match the protocol (four characters, such as "htps" or "ftp ").]:protocol: ' \
                    '-s[Match the server name.]:server: _security_offer srvr' \
                    '-t[Match the authentication type (four characters, such as "dflt").]:type: ' \
                    '-g[Also show the password, on standard error.]' \
                    '-w[Show only the password, on standard output.]' \
                    '-k[The keychain; as an operand at the end.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                delete-internet-password) _arguments -S \
                    '-a[Match the account name.]:account: _security_offer acct' \
                    '-c[Match the creator (four characters).]:creator: ' \
                    '-C[Match the type (four characters).]:type: ' \
                    '-d[Match the security domain.]:domain: ' \
                    '-D[Match the kind of item, in words.]:kind: ' \
                    '-j[Match the comment.]:comment: ' \
                    '-l[Match the label.]:label: ' \
                    '-p[Match the path on the server.]:path: ' \
                    '-P[Match the port number.]:port: ' \
                    '-r[Match the protocol (four characters, such as "htps" or "ftp ").]:protocol: ' \
                    '-s[Match the server name.]:server: _security_offer srvr' \
                    '-t[Match the authentication type (four characters, such as "dflt").]:type: ' \
                    {-F,--forever}'[Keep no earlier version of the item, and drop those there are.]' \
                    '-k[The keychain; as an operand at the end.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                find-key) _arguments -S \
                    '-c[Match the creator, four characters.]:creator: ' \
                    '-a[Match the application label.]:label: ' \
                    '-l[Match the label.]:label: ' \
                    '-t[Match the type\: symmetric, public or private.]:type: ' \
                    '-d[Match keys that can decrypt.]' \
                    '-e[Match keys that can encrypt.]' \
                    '-r[Match keys that can derive.]' \
                    '-s[Match keys that can sign.]' \
                    '-u[Match keys that can unwrap.]' \
                    '-v[Match keys that can verify.]' \
                    '-w[Match keys that can wrap.]' \
                    '--json[Write JSON.]' ;;
                item) _arguments -S \
                    '-a[Add an item.]' \
                    '-D[Delete the items.]' \
                    '-u[Change attributes of the items\: attribute=value,...]:changes: ' \
                    '-q[More of the query\: attribute=value,...]:query: ' \
                    '-d[The value, which ps shows to other users of the machine.]:data: ' \
                    '-f[The value is in a file.]:file:_files' \
                    '-g[Also show the values.]' \
                    '-p[Also show the persistent references.]' \
                    '-P[The item with a persistent reference, in base64.]:reference: ' \
                    '-l[Find so many items at most.]:number: ' \
                    '-j[Write JSON, an object a line.]' \
                    '-s[Not supported\: items are not shared with other users.]:group: ' \
                    '--json[Write JSON.]' ;;
                set-key-partition-list) _arguments -S \
                    '-a[Match the application label.]:label: ' \
                    '-l[Match the label.]:label: ' \
                    '-t[Match the type\: symmetric, public or private.]:type: ' \
                    '-d[Match keys that can decrypt.]' \
                    '-e[Match keys that can encrypt.]' \
                    '-r[Match keys that can derive.]' \
                    '-s[Match keys that can sign.]' \
                    '-u[Match keys that can unwrap.]' \
                    '-v[Match keys that can verify.]' \
                    '-w[Match keys that can wrap.]' \
                    '-S[The identifiers, with commas between them.]:identifiers: ' \
                    '-k[The keychain'\''s password.]:password: ' \
                    '--json[Write JSON.]' ;;
                set-generic-password-partition-list) _arguments -S \
                    '-a[Match the account name.]:account: ' \
                    '-c[Match the creator (four characters).]:creator: ' \
                    '-C[Match the type (four characters).]:type: ' \
                    '-D[Match the kind of item, in words.]:kind: ' \
                    '-G[Match the generic attribute.]:value: ' \
                    '-j[Match the comment.]:comment: ' \
                    '-l[Match the label.]:label: ' \
                    '-s[Match the service name.]:service: ' \
                    '-S[The identifiers, with commas between them.]:identifiers: ' \
                    '-k[The keychain'\''s password.]:password: ' \
                    '--json[Write JSON.]' ;;
                set-internet-password-partition-list) _arguments -S \
                    '-a[Match the account name.]:account: ' \
                    '-c[Match the creator (four characters).]:creator: ' \
                    '-C[Match the type (four characters).]:type: ' \
                    '-d[Match the security domain.]:domain: ' \
                    '-D[Match the kind of item, in words.]:kind: ' \
                    '-j[Match the comment.]:comment: ' \
                    '-l[Match the label.]:label: ' \
                    '-p[Match the path on the server.]:path: ' \
                    '-P[Match the port number.]:port: ' \
                    '-r[Match the protocol (four characters, such as "htps" or "ftp ").]:protocol: ' \
                    '-s[Match the server name.]:server: ' \
                    '-t[Match the authentication type (four characters, such as "dflt").]:type: ' \
                    '-S[The identifiers, with commas between them.]:identifiers: ' \
                    '-k[The keychain'\''s password.]:password: ' \
                    '--json[Write JSON.]' ;;
                find-certificate) _arguments -S \
                    '-a[Find all matching certificates, not just the first one.]' \
                    '-c[Match this part of the common name, whatever its case.]:name: ' \
                    '-e[Match this address.]:emailAddress: ' \
                    '-m[Show the certificate'\''s email addresses.]' \
                    '-p[Write the certificate as PEM.]' \
                    '-Z[Show the SHA-256 and the SHA-1 of the certificate.]' \
                    '--json[Write JSON.]' ;;
                find-identity) _arguments -S \
                    '-p[Evaluate for this policy; may be given more than once.]:policy: ' \
                    '-s[The host, or for smime the address, that must be named.]:string: ' \
                    '-v[Show valid identities alone.]' \
                    '--json[Write JSON.]' ;;
                delete-certificate) _arguments -S \
                    '-c[The common name, or a part of it.]:name: ' \
                    '-Z[The SHA-256 or SHA-1 of the certificate, in hexadecimal.]:hash: ' \
                    '-t[Also remove the user'\''s trust settings of the certificate.]' \
                    '--json[Write JSON.]' ;;
                delete-identity) _arguments -S \
                    '-c[The common name, or a part of it.]:name: ' \
                    '-Z[The SHA-256 or SHA-1 of the certificate, in hexadecimal.]:hash: ' \
                    '-t[Also remove the user'\''s trust settings of the certificate.]' \
                    '--json[Write JSON.]' ;;
                export) _arguments -S \
                    '-k[The keychain to export from; all of the search list unless given.]:keychain: ' \
                    '-t[certs, allKeys, pubKeys, privKeys, identities, or all (unless one is given).]:type: ' \
                    '-f[openssl, openssh2, pkcs7, pkcs8, pkcs12, x509 or pemseq.]:format: ' \
                    '-w[Encrypt private keys with a passphrase.]' \
                    '-p[Write PEM.]' \
                    '-P[The passphrase of the file.]:passphrase: ' \
                    {-F,--password-fd}'[Read the passphrase from this descriptor, a line.]:number: ' \
                    {-L,--legacy}'[Encrypt PKCS #12 with 3DES and SHA-1, for old programs.]' \
                    '-o[The file to write; standard output unless given.]:outfile: ' \
                    '--json[Write JSON.]' ;;
                import) _arguments -S \
                    '-k[The keychain to import into.]:keychain: ' \
                    '-t[Accepted for old scripts\: the file says what it holds.]:type: ' \
                    '-f[Accepted for old scripts\: the bytes tell the format.]:format: ' \
                    '-P[The file'\''s passphrase.]:passphrase: ' \
                    {-F,--password-fd}'[Read the passphrase from this descriptor, a line.]:number: ' \
                    '-w[Private keys are encrypted in the file.]' \
                    '-x[Mark private keys so that export does not write them.]' \
                    '-a[Accepted for old scripts; changes nothing.]:name value: ' \
                    '-A[Accepted for old scripts; changes nothing.]' \
                    '-T[Accepted for old scripts; changes nothing.]:program: ' \
                    {-n,--dry-run}'[Say what would be imported, and import nothing.]' \
                    '--json[Write JSON.]' ;;
                cms) _arguments -S \
                    '-S[Sign.]' \
                    '-D[Decrypt, verify, and write the content.]' \
                    '-E[Encrypt.]' \
                    '-C[Make a message of certificates; not here.]' \
                    '-k[The keychain with certificates and keys.]:keychain: ' \
                    '-N[The signer, by the name of their certificate or a part of it.]:nick: ' \
                    '-Z[The signer, by the SHA-1 or SHA-256 of their certificate.]:hash: ' \
                    '-r[The recipients, by address or name.]:id,...: ' \
                    '-H[SHA256 (unless one is given), SHA384, SHA512 or SHA1.]:hash: ' \
                    '-i[The input; standard input unless given.]:infile: ' \
                    '-o[The output; standard output unless given.]:outfile: ' \
                    '-c[With -D, the file that was signed, for a detached signature.]:content: ' \
                    '-T[Leave the content out of the signed message.]' \
                    '-G[Sign the time, too.]' \
                    '-n[With -D, write no content.]' \
                    '-u[Accepted for old scripts; changes nothing.]:usage: ' \
                    '--json[Write JSON.]' ;;
                add-trusted-cert) _arguments -S \
                    '-d[For all users; not here.]' \
                    '-r[trustRoot (unless one is given), trustAsRoot, deny or unspecified.]:resultType: ' \
                    '-p[basic or codeSign; may be given more than once.]:policy: ' \
                    '-k[Also add the certificate to this keychain.]:keychain: ' \
                    '--json[Write JSON.]' ;;
                remove-trusted-cert) _arguments -S \
                    '-d[For all users; not here.]' \
                    '--json[Write JSON.]' ;;
                dump-trust-settings) _arguments -S \
                    '-d[For all users; there are none here.]' \
                    '-s[The system'\''s; there are none here.]' \
                    '--json[Write JSON.]' ;;
                trust-settings-export) _arguments -S \
                    '-d[Those for all users; there are none here.]' \
                    '-s[The system'\''s; there are none here.]' \
                    '--json[Write JSON.]' ;;
                trust-settings-import) _arguments -S \
                    '-d[For all users; not here.]' \
                    '--json[Write JSON.]' ;;
                verify-cert) _arguments -S \
                    '-c[The certificate, then others of its chain.]:certFile: ' \
                    '-r[A root to trust in place of the system'\''s; alone, it is what is verified.]:rootCertFile: ' \
                    '-p[basic (unless one is given), ssl, smime, eap, IPSec, codeSign or timestamping.]:policy: ' \
                    '-n[The host, or for smime the address, that must be named; without a name as -N.]:name: ' \
                    '-s[The same, by its older name.]:name: ' \
                    '-e[The address that must be named.]:emailAddress: ' \
                    '-d[When\: YYYY-MM-DD-hh\:mm\:ss or YYYY-MM-DDThh\:mm\:ssZ, or the date alone.]:date: ' \
                    '-k[Where other certificates are looked for.]:keychain: ' \
                    '-C[The certificate is a client'\''s.]' \
                    '-L[Accepted for old scripts\: nothing is fetched.]' \
                    '-l[An authority'\''s certificate need not have the purpose itself.]' \
                    '-N[Do not use the keychain'\''s certificates.]' \
                    '-P[Show the chain, in PEM.]' \
                    '-t[Show the chain.]' \
                    '-v[Show the chain.]' \
                    '-R[Revocation\: offline, ocsp or crl, which fetch nothing, or require, which fails.]:check: ' \
                    '-q[Write nothing; the exit status says it all.]' \
                    '--json[Write JSON.]' ;;
                history) _arguments -S \
                    '-a[Match the account name.]:account: ' \
                    '-c[Only items of a class\: genp, inet, cert or keys.]:class: ' \
                    '-l[Match the label.]:label: ' \
                    '-s[Match the service name or the server name.]:place: ' \
                    {-F,--forget}'[Drop the versions that were found, for good, in place of showing them.]' \
                    '--json[Write JSON.]' ;;
                undelete) _arguments -S \
                    '-a[Match the account name.]:account: ' \
                    '-c[Only items of a class\: genp, inet, cert or keys.]:class: ' \
                    '-l[Match the label.]:label: ' \
                    '-s[Match the service name or the server name.]:place: ' \
                    '--json[Write JSON.]' ;;
                restore-item) _arguments -S \
                    {-t,--at}'[When\: YYYY-MM-DDThh\:mm\:ssZ, as history shows it; seconds, or the whole time, may be left out.]:time: ' \
                    '-a[Match the account name.]:account: ' \
                    '-c[Only items of a class\: genp, inet, cert or keys.]:class: ' \
                    '-l[Match the label.]:label: ' \
                    '-s[Match the service name or the server name.]:place: ' \
                    '--json[Write JSON.]' ;;
                backup) _arguments -S \
                    {-n,--dry-run}'[Show what the backup would have, and write nothing.]' \
                    {-R,--recovery}'[Ask for a recovery code instead of the password; the code opens the backup, too.]' \
                    {-p,--passphrase}'[With --recovery\: a passphrase opens it as well.]' \
                    '--json[Write JSON.]' ;;
                restore) _arguments -S \
                    {-n,--dry-run}'[Show what would become of each item, and change nothing.]' \
                    {-R,--recovery}'[Ask for the recovery code that opens the backup instead of a passphrase.]' \
                    '--json[Write JSON.]' ;;
                drill) _arguments -S \
                    {-R,--recovery}'[Ask for the recovery code that opens the backup instead of a passphrase.]' \
                    '--json[Write JSON.]' ;;
                anchor) _arguments -S \
                    {-c,--create-group}'[Make the marker group first, if it is not there.]' \
                    {-f,--force}'[Also anchor a program that seems to start others.]' \
                    {-g,--group}'[The marker group\: a name or a number.]:group: ' \
                    {-l,--list}'[List the anchored programs in the folders, or where programs usually are.]' \
                    {-r,--remove}'[Take the mark away again.]' \
                    '--json[Write JSON.]' ;;
                move-enclave) _arguments -S \
                    '-p[The keychain'\''s password.]:password: ' \
                    '--json[Write JSON.]' ;;
                migrate-store) _arguments -S \
                    {-b,--back}'[Move items from the service'\''s keychain into the user'\''s own store.]' \
                    {-n,--dry-run}'[Show what would move and what would stay, and move nothing.]' \
                    {-y,--yes}'[Do not ask before items are moved.]' \
                    '--json[Write JSON.]' ;;
                accept-store) _arguments -S \
                    '-p[The keychain'\''s password.]:password: ' \
                    '--json[Write JSON.]' ;;
                add-unlock-slot) _arguments -S \
                    '-t[recovery (the default)\: a code to write down; tpm\: this machine'\''s TPM.]:kind: ' \
                    {-n,--new-pin}'[With -t tpm\: the TPM opens the keychain only with a PIN.]' \
                    {-R,--recovery}'[Ask for a recovery code instead of the password.]' \
                    {-N,--pin}'[Ask for the PIN instead of the password.]' \
                    '--json[Write JSON.]' ;;
                remove-unlock-slot) _arguments -S \
                    '-f[Remove the password too, with all that only a password may open, and all other slots.]' \
                    {-R,--recovery}'[Ask for a recovery code instead of the password.]' \
                    {-N,--pin}'[Ask for the PIN instead of the password.]' \
                    '--json[Write JSON.]' ;;
                attest-key) _arguments -S \
                    '-k[The key itself, as its program wrote it (kSecAttrTokenOID).]:file:_files' \
                    '-l[Match the label.]:label: ' \
                    '-t[Match the application tag.]:tag: ' \
                    '-n[What the verifier has chosen\: 1 to 32 bytes in hexadecimal.]:nonce: ' \
                    '-o[The folder to write to; made if it is not there.]:folder:_files' \
                    '--json[Write JSON.]' ;;
                codesign) _arguments -S \
                    {-s,--sign}'[Sign the files with this key.]:key:_files' \
                    {-e,--entitlements}'[The entitlements to sign with; with -d, where to write them.]:file:_files' \
                    {-i,--identifier}'[What the program is called; its file'\''s name unless given.]:name: ' \
                    {-f,--force}'[Replace a signature that is there.]' \
                    {-S,--statements}'[Rotations that lead to the key; may be given more than once.]:file:_files' \
                    {-v,--verify}'[Verify the files'\'' signatures; or say more.]' \
                    {-d,--display}'[Show the files'\'' signatures.]' \
                    {-R,--remove-signature}'[Remove the files'\'' signatures.]' \
                    {-c,--create-team-key}'[Make a team key, in a new file or in the enclave.]:key:_files' \
                    {-a,--algorithm}'[Of the new key\: ed25519, or p256; the enclave makes the latter.]:name: ' \
                    {-P,--passphrase}'[Ask for a passphrase for the new key.]' \
                    {-p,--passphrase-fd}'[Read the key'\''s passphrase from this descriptor, a line.]:number: ' \
                    {-T,--team-id}'[Print the Team ID of a key.]:key:_files' \
                    {-r,--rotate}'[State that this key follows the one of -s.]:key:_files' \
                    {-H,--hand-over}'[State that this group of the team of -s is now the one of -t.]:group: ' \
                    {-t,--to}'[The group that -H hands over to, with its Team ID.]:group: ' \
                    {-o,--output}'[Where to write a statement; standard output unless given.]:file:_files' \
                    '--json[Write JSON.]' \
                    '*:file:_files' ;;
                file) _arguments -S \
                    {-c,--class}'[When the files open\: a, b, c or d.]:class: ' \
                    {-D,--this-device}'[The files open on this device alone.]' \
                    {-s,--shelf}'[Wrap the files'\'' keys by the shelf of this name.]:name: ' \
                    {-u,--require}'[What opens a file besides\: presence or password.]:demand: ' \
                    {-r,--range}'[The bytes to write, counted from 0; all unless given.]:first-last: ' \
                    {-R,--recovery}'[Who opens the files too, without the keychain.]:recipient: ' \
                    {-N,--none}'[Files get no recovery recipient by themselves any more.]' \
                    {-i,--identity}'[Open the files with the identities in this file.]:file:_files' \
                    {-t,--to}'[Who opens the file of age, as age'\''s option -r.]:recipient: ' \
                    {-p,--passphrase}'[Have age ask for a passphrase that opens its file.]' \
                    {-f,--force}'[Delete the shelf on all machines of the circle, without a question.]' \
                    {-g,--group}'[The access group whose programs open the files.]:group: ' \
                    {-o,--output}'[Where to write; the file itself unless given.]:file:_files' \
                    '--json[Write JSON.]' \
                    '*:file:_files' ;;
                decisions) _arguments -S \
                    {-f,--follow}'[Go on and show what is decided from now on, until interrupted.]' \
                    '--json[Write JSON.]' ;;
                why) _arguments -S \
                    {-K,--class}'[The class to search\: genp (the default), inet, cert or keys.]:class: ' \
                    {-M,--group}'[Match the access group.]:group: ' \
                    {-F,--as}'[Search, or open the file, as this program would, given by its path.]:program: ' \
                    {-Y,--sync}'[Synchronised items\: any (the default), yes or no.]:which: ' \
                    {-N,--all}'[Search for all items rather than one.]' \
                    '-a[Match the account name.]:account: ' \
                    '-c[Match the creator (four characters).]:creator: ' \
                    '-C[Match the type (four characters).]:type: ' \
                    '-D[Match the kind of item, in words.]:kind: ' \
                    '-G[Match the generic attribute.]:value: ' \
                    '-j[Match the comment.]:comment: ' \
                    '-l[Match the label.]:label: ' \
                    '-s[Match the service name.]:service: ' \
                    '-d[Match the security domain.]:domain: ' \
                    '-p[Match the path on the server.]:path: ' \
                    '-P[Match the port number.]:port: ' \
                    '-r[Match the protocol (four characters, such as "htps" or "ftp ").]:protocol: ' \
                    '-t[Match the authentication type (four characters, such as "dflt").]:type: ' \
                    '--json[Write JSON.]' ;;
                move-items) _arguments -S \
                    {-f,--from}'[The group the items have now.]:group: ' \
                    {-t,--to}'[The group they are to have.]:group: ' \
                    {-K,--class}'[Only items of this class\: genp, inet, cert or keys.]:class: ' \
                    {-s,--statement}'[A handover statement of the old group'\''s team.]:file:_files' \
                    '--json[Write JSON.]' ;;
                rename-group) _arguments -S \
                    {-s,--statement}'[A handover statement of the old group'\''s team.]:file:_files' \
                    '--json[Write JSON.]' ;;
                uninstalled) _arguments -S \
                    {-A,--all-users}'[As root\: tell every keychain that the system service has.]' \
                    {-d,--stores}'[Where those lie; /var/lib/keychain.]:folder:_files' \
                    '--json[Write JSON.]' ;;
                ci-start) _arguments -S \
                    {-n,--name}'[A word in its folder'\''s name. Default\: ci.]:name: ' \
                    {-w,--password-fd}'[Read its password there. Default\: a random one.]:fd: ' \
                    {-t,--ttl}'[End it after this time\: 90s, 30m, 6h.]:time: ' \
                    {-o,--owner}'[End it with this process. Default\: the job'\''s worker.]:pid: ' \
                    {-f,--format}'[sh (the default)\: commands for eval; else K=V lines.]:format: ' \
                    '--json[Write JSON.]' ;;
                setup) _arguments -S \
                    {-c,--check}'[swift\: list files that use Data Protection of Foundation; it is ignored on Linux.]' \
                    {-f,--file-protection}'[swift\: targets that use Data Protection of Foundation get a file that encrypts.]' \
                    {-l,--system-library}'[swift\: its targets also get the SDK that is installed.]' \
                    {-n,--dry-run}'[Show what would change and change nothing.]' \
                    {-w,--without-import}'[desktop\: leave an older keyring'\''s secrets where they are.]' \
                    {-y,--yes}'[Do not ask before the files are changed.]' \
                    {-u,--undo}'[Take back what an earlier setup has changed.]' \
                    {-x,--without-export}'[desktop, with --undo\: leave what programs have stored since then in the keychain.]' \
                    '--json[Write JSON.]' ;;
                import-from) _arguments -S \
                    {-n,--dry-run}'[Say what would be added, and add nothing.]' \
                    {-u,--undo}'[Delete what imports from there have added and nobody has changed since.]' \
                    {-F,--password-fd}'[With keyring-file\: read its password from this descriptor, a line.]:number: ' \
                    '-U[Change passwords that the keychain has otherwise; not with a keyring.]' \
                    '--json[Write JSON.]' ;;
                run) _arguments -S \
                    {-e,--env}'[Set a variable to what the reference names.]:name=ref: ' \
                    {-E,--env-file}'[Set the variables of a file; references are replaced.]:file:_files' \
                    {-A,--all}'[Set a variable for each account of a service.]:service: ' \
                    {-d,--fd}'[Hand the value over in a descriptor, /dev/fd/N.]:name=ref: ' \
                    {-f,--file}'[The same as a path that can be opened and read again.]:name=ref: ' \
                    {-i,--stdin}'[Hand the value over as standard input.]:ref: ' \
                    {-m,--mask}'[Replace secrets in the output.]:auto|always|never: ' \
                    {-c,--keep-core}'[Leave the limit of core files as it is.]' \
                    {-n,--inherit}'[Replace a reference in an inherited variable.]:name: ' \
                    {-t,--trust-file}'[Use env files without asking; they set secrets alone.]' \
                    {-a,--allow}'[Let an env file set this variable to any value.]:name: ' \
                    {-s,--status-fd}'[Write what became of the command there, as JSON.]:n: ' \
                    '--json[Write JSON.]' ;;
                inject) _arguments -S \
                    {-i,--in-file}'[The template.]:file:_files' \
                    {-o,--out-file}'[Write this file, for its owner alone; otherwise standard output.]:file:_files' \
                    {-r,--reveal}'[Write the values to a terminal too.]' \
                    {-t,--trust-file}'[Use the template without asking.]' \
                    '--json[Write JSON.]' ;;
                list) _arguments -S \
                    {-c,--color}'[Colour the output\: auto (the default), always or never.]:when: ' \
                    {-e,--fail-empty}'[Exit with 44 when nothing is found.]' \
                    {-H,--heading}'[Print the heading also where the output is no terminal.]' \
                    {-k,--sort}'[Sort by name, kind, account, group, changed or created.]:column: ' \
                    {-l,--long}'[Also show when items were made, expire and open.]' \
                    {-n,--limit}'[Show so many items at most.]:number: ' \
                    {-r,--reverse}'[Reverse the order.]' \
                    '--json[Write JSON.]' ;;
                show) _arguments -S \
                    {-c,--color}'[Colour the output\: auto (the default), always or never.]:when: ' \
                    {-F,--force-stdout}'[With -p, also where the output is no terminal.]' \
                    {-H,--history}'[Show the earlier versions in place of the item.]' \
                    {-p,--reveal}'[Also show the value, on a terminal.]' \
                    '--json[Write JSON.]' ;;
                copy) _arguments -S \
                    {-1,--once}'[Let it be pasted once.]' \
                    {-f,--field}'[Copy password, account, label or comment.]:field: ' \
                    {-o,--osc52}'[Have the terminal copy, by the sequence OSC 52.]' \
                    {-t,--clear}'[Clear the clipboard after so many seconds (45).]:seconds: ' \
                    '--json[Write JSON.]' ;;
                generate) _arguments -S \
                    {-c,--copy}'[Copy the password in place of printing it.]' \
                    {-l,--length}'[The number of characters.]:length: ' \
                    {-P,--pin}'[So many digits.]:length: ' \
                    {-R,--rules}'[Obey a website'\''s rules.]:rules: ' \
                    {-s,--save}'[Store the password as an item, service/account.]:item: ' \
                    {-w,--words}'[So many words that can be pronounced.]:number: ' \
                    '--json[Write JSON.]' ;;
                add) _arguments -S \
                    {-S,--synchronizable}'[Keep it on all machines of the circle (security sync).]' \
                    {-d,--password-fd}'[Read the password from this open descriptor.]:number: ' \
                    '--json[Write JSON.]' ;;
                edit) _arguments -S \
                    {-d,--password-fd}'[Read the password from this open descriptor.]:number: ' \
                    {-p,--password}'[Ask for a new password, or read it from standard input.]' \
                    '--json[Write JSON.]' ;;
                rm) _arguments -S \
                    {-y,--yes}'[Do not ask.]' \
                    '--json[Write JSON.]' ;;
                purge) _arguments -S \
                    {-y,--yes}'[Do not ask.]' \
                    '--json[Write JSON.]' ;;
                browse) _arguments -S \
                    {-i,--idle}'[Lock the view after so many minutes without a key.]:minutes: ' \
                    {-l,--linear}'[A conversation in lines, for screen readers and simple terminals.]' \
                    {-m,--no-mouse}'[Leave the mouse to the terminal.]' \
                    {-o,--osc52}'[Have the terminal copy, by the sequence OSC 52.]' \
                    '--json[Write JSON.]' ;;
                sync) _arguments -S \
                    {-n,--name}'[This machine'\''s name; its host name unless given.]:name: ' \
                    {-k,--keep}'[remove-device\: machines that it has added and that stay, with commas between them.]:machines: ' \
                    {-i,--invitation}'[The file with the server'\''s invitation (setup, join -r), or with a bucket'\''s two keys, a line each; they are asked for, or the next lines of standard input.]:file:_files' \
                    {-R,--restore}'[conflicts\: give the item the version with this number, as a change of its own.]:number: ' \
                    {-r,--recovery}'[join\: enter the circle by its recovery key, with no other machine.]' \
                    '--json[Write JSON.]' ;;
            esac ;;
    esac
}
# Loaded by name, this file is the function; read with source, it only declares it.
if [[ "$funcstack[1]" == _security ]]; then _security "$@"; else compdef _security security; fi
