// Prints the path of Pebble, the certificate authority that tests ACME. `pebble-challtestsrv` is next to it.
import { printTool } from "./debian-tool.mjs";

printTool({ tool: "pebble", debianPackage: "pebble", missing: "ACME NOT TESTED" });
