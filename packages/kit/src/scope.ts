/**
 * Returns the class of the element that the shell puts around the content of a section. The build limits the section's
 * plain stylesheets to this element. Classes of CSS modules end with a hash, so they differ from this class.
 */
export function scopeClass(section: string): string {
  return `${section}_scope`;
}
