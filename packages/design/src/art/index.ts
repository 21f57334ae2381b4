// A separate entry point: only pages that use it load it.
export { AvatarArt, type AvatarArtProps } from "./AvatarArt.js";
export { DuskBand, type DuskBandProps } from "./DuskBand.js";
export { TempleArt, type TempleArtProps } from "./TempleArt.js";
