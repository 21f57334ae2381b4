// A picture for sections that want one: an entry of its own, so that only their pages pay for it.
export { AvatarArt, type AvatarArtProps } from "./AvatarArt.js";
