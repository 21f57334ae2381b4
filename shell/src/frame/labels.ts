/** What the frame's own buttons to the join dialog say. */
export const JOIN_LABEL = "Join Free";
