// What only the `data` of pages needs. It is imported dynamically: pages show what these return, so cities and maps stay out
// of their code.
export { locateCity, locateState, positionsOnMap } from "./maps";
export { citiesOf, cityNotFound, findPlace } from "./places";
