/** Label of the join buttons in header and footer. */
export const JOIN_LABEL = "Join Free";
