import * as file from "../content/privacy.md";
import { readLegalText } from "./legalText";

/** The privacy policy. */
export const PRIVACY = readLegalText("content/privacy.md", file);
