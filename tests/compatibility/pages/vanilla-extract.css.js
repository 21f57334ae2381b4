import { createVar, style } from "@vanilla-extract/css";

const color = createVar();

export const box = style({ vars: { [color]: "rgb(4, 5, 6)" }, color });
export const painted = style({ color: "rgb(1, 2, 3)" });
