import CodesignCommands
import Glibc
import SecurityCommands

exit(Codesigning.run(Argument.ofThisProcess(), in: Session.ofThisProcess()))
