// The entry of the shell in the set-up of enhanced.mjs. The runtime loads shared packages before a module can import them.
void import("./shell-entry.js");
