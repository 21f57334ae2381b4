/** Whether the focus is nowhere, so that nobody is taken away from what they are doing. */
export function nothingHasFocus(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
