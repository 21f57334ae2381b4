import { definePage } from "@colonnade/kit";
import type { ReactElement } from "react";

import * as file from "../../content/terms.md";
import { readLegalText } from "../legalText";
import { headOf } from "./head";
import { LegalPage } from "./LegalPage";

const PATH = "/terms";
const TEXT = readLegalText("content/terms.md", file);

function Terms(): ReactElement {
  return <LegalPage text={TEXT} />;
}

export const page = definePage({
  data: () => null,
  paths: () => [PATH],
  head: ({ site }) => headOf(TEXT, PATH, site),
  Component: Terms,
});
