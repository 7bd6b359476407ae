import Glibc
import SecurityCommands

let session = Session.ofThisProcess()
let helper = unsafe CommandLine.unsafeArgv[0].flatMap { path in
    CommandTable.name(ofProgram: unsafe String(cString: path))
}
exit(Driver.run((helper.map { [Argument($0)] } ?? []) + Argument.ofThisProcess(), in: session))
