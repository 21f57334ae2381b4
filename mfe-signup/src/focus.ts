/** Whether no element has the focus, so that moving it interrupts nothing. */
export function nothingHasFocus(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
