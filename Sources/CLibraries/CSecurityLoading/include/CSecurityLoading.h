/// There is nothing to call: what is here runs when libSecurity.so is loaded.
