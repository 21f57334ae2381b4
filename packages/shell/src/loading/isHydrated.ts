/** Whether React has hydrated or rendered an element: it then keeps its own properties on the element. */
export function isHydrated(element: Element): boolean {
  return Object.keys(element).some((key) => key.startsWith("__reactProps$"));
}
