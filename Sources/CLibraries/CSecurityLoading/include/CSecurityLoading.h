/// Declares nothing: the code of this module runs when libSecurity.so is loaded.
