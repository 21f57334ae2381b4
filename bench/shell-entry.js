// Starts the site's shell, as the entry that the build makes.
import { start } from "@colonnade/shell/browser";

import shell from "../shell/src/shell.tsx";

start(shell);
