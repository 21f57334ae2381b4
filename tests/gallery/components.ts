/** Names of the components in the gallery, in order. */
export const COMPONENTS = [
  "Avatar art",
  "Badge",
  "Breadcrumbs",
  "Button",
  "Card",
  "Dialog",
  "Disclosure",
  "Field",
  "Grid",
  "Notice",
  "Prose",
];
