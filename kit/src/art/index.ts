// A separate entry point: only pages that use it load it.
export { AvatarArt, type AvatarArtProps } from "./AvatarArt.js";
export { TempleArt, type TempleArtProps } from "./TempleArt.js";
