/** The dot of a city. Coordinates are in pixels of the screen. */
export interface Dot {
  readonly city: string;
  readonly x: number;
  readonly y: number;
}

/** The name of a city and its box, in pixels of the screen. */
export interface Name {
  readonly city: string;
  readonly box: Readonly<Pick<DOMRect, "left" | "top" | "width" | "height">>;
}

/** Returns the city whose name is at a point, or else the city of the nearest dot that is within reach. */
export function cityAt(
  { x, y }: Readonly<Pick<Dot, "x" | "y">>,
  dots: readonly Dot[],
  names: readonly Name[],
  reach: number,
): string | undefined {
  const name = names.find(
    ({ box }) => x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height,
  );
  if (name) return name.city;
  const distanceTo = (dot: Dot): number => Math.hypot(dot.x - x, dot.y - y);
  const [first] = dots.toSorted((one, other) => distanceTo(one) - distanceTo(other));
  return first && distanceTo(first) <= reach ? first.city : undefined;
}
