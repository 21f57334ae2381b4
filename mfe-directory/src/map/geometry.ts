/** Latitude and longitude in degrees. */
export type Point = readonly [latitude: number, longitude: number];

/** An azimuthal equal-area projection: its center, pixels per radian, and the center's position in the image. */
export type Projection = readonly [longitude: number, latitude: number, scale: number, x: number, y: number];

const EARTH_RADIUS_MILES = 3958.8;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Projects a point to a position in the image. */
export function project([centerLongitude, centerLatitude, scale, x, y]: Projection, point: Point): [number, number] {
  const [latitude, center] = [radians(point[0]), radians(centerLatitude)];
  const turn = radians(point[1] - centerLongitude);
  const east = Math.cos(latitude) * Math.sin(turn);
  const north = Math.cos(center) * Math.sin(latitude) - Math.sin(center) * Math.cos(latitude) * Math.cos(turn);
  const toward = Math.sin(center) * Math.sin(latitude) + Math.cos(center) * Math.cos(latitude) * Math.cos(turn);
  const stretch = scale * Math.sqrt(2 / (1 + toward));
  return [x + stretch * east, y - stretch * north];
}

/** Returns a distance in pixels of the image, near the projection's center. */
export function pixelsOf([, , scale]: Projection, miles: number): number {
  return (miles / EARTH_RADIUS_MILES) * scale;
}

/** Returns the great-circle distance of two points in miles, by the haversine formula. */
export function milesBetween([latitude, longitude]: Point, [otherLatitude, otherLongitude]: Point): number {
  const half = (degrees: number): number => Math.sin(radians(degrees) / 2) ** 2;
  const share =
    half(otherLatitude - latitude) +
    Math.cos(radians(latitude)) * Math.cos(radians(otherLatitude)) * half(otherLongitude - longitude);
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.sqrt(share));
}
