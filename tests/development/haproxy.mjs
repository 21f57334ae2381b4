// Prints the path of HAProxy, in front of several gateways.
import { printTool } from "./debian-tool.mjs";

printTool({ tool: "haproxy", debianPackage: "haproxy", missing: "SEVERAL GATEWAYS NOT TESTED BEHIND HAPROXY" });
