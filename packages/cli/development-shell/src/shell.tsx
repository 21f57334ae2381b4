import { createShell } from "@colonnade/shell";
import { plain } from "@colonnade/shell/plain";

import "./shell.css";

/** The shell of `colonnade dev` without a site. */
export default createShell(plain);
