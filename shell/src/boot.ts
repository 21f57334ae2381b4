import type { Boot } from "@colonnade/kit/shell";

/**
 * Reads the boot payload from the document.
 *
 * @throws Error if the document has none, which means that the gateway did not make it.
 */
export function readBoot(document: Document): Boot {
  const block = document.getElementById("boot");
  if (!block?.textContent) throw new Error('the document has no boot payload; expected a data block with id "boot"');
  return JSON.parse(block.textContent) as Boot;
}
