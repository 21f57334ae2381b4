// What only the shell uses. Sections import from "@colonnade/kit".
export type { Asset, Boot, PageAnswer, RenderedView, SectionEntry, SlotAnswer, SocialImage } from "./boot.js";
export { ParamsContext, ShellContext, type ShellServices } from "./context.js";
export { JOIN_ATTRIBUTE } from "./JoinButton.js";
