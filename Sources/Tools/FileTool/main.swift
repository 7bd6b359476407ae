import CommandOptions
import FileCommands
import Glibc
import SecurityCommands

exit(FileWork.run(Argument.ofThisProcess(), in: Session.ofThisProcess()))
