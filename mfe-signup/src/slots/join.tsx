import { defineSlot } from "@colonnade/kit";

import { JoinDialog } from "../dialog/JoinDialog";

export const slot = defineSlot({ Component: JoinDialog });
