import CodesignCommands
import CommandOptions
import Glibc
import SecurityCommands

exit(Codesigning.run(Argument.ofThisProcess(), in: Session.ofThisProcess()))
