import { addAbortCommand } from "./abort.js";
import { addBuildCommand } from "./build.js";
import { addCheckCommand } from "./check.js";
import { addCompletionCommand } from "./completion.js";
import { addDeployCommand } from "./deploy.js";
import { addDevCommand } from "./dev.js";
import { addErrorsCommand } from "./errors.js";
import { addExtensionsCommand } from "./extensions.js";
import { addGarbageCollectCommand } from "./garbageCollect.js";
import { addHistoryCommand } from "./history.js";
import { addLoginCommand, addLogoutCommand } from "./login.js";
import { addLogsCommand } from "./logs.js";
import { addNewCommand } from "./new.js";
import { addOpenCommand } from "./open.js";
import { addPreviewCommand } from "./preview.js";
import { addPromoteCommand } from "./promote.js";
import { addPublishCommand } from "./publish.js";
import { addRollbackCommand } from "./rollback.js";
import { addRolloutCommand } from "./rollout.js";
import { addStatusCommand } from "./status.js";
import { addTypesCommand } from "./types.js";
import { addUpgradeCommand } from "./upgrade.js";
import type { AddCommand } from "./program.js";

/** The commands of `colonnade`, in the order in which a team needs them. */
export const COMMANDS: readonly AddCommand[] = [
  addNewCommand,
  addDevCommand,
  addBuildCommand,
  addCheckCommand,
  addLoginCommand,
  addLogoutCommand,
  addPublishCommand,
  addDeployCommand,
  addPromoteCommand,
  addRolloutCommand,
  addAbortCommand,
  addRollbackCommand,
  addExtensionsCommand,
  addStatusCommand,
  addHistoryCommand,
  addErrorsCommand,
  addLogsCommand,
  addPreviewCommand,
  addOpenCommand,
  addGarbageCollectCommand,
  addTypesCommand,
  addUpgradeCommand,
  addCompletionCommand,
];
