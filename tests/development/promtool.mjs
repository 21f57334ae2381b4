// Prints the path of promtool, which tests the alert rules.
import { printTool } from "./debian-tool.mjs";

printTool({ tool: "promtool", debianPackage: "prometheus", missing: "ALERT RULES NOT TESTED" });
