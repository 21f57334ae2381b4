import type { Boot } from "@colonnade/kit/shell";

/**
 * Reads the boot payload from the document.
 *
 * @throws Error when the document has none: it was not made by the gateway.
 */
export function readBoot(document: Document): Boot {
  const block = document.getElementById("boot");
  if (!block?.textContent) throw new Error("the document has no boot payload");
  return JSON.parse(block.textContent) as Boot;
}
