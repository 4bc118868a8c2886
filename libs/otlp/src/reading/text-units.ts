import type { OtelMap, OtelSpan, OtelValue } from '@spandrel/plugin-api';

/** How many UTF-16 units the values of a span have, a few for each name and number: a measure that costs little. */
export function textUnits({ attributes, events, links, traceState, scope }: OtelSpan): number {
  let units = traceState.length + scope.name.length + scope.version.length + unitsOfMap(attributes);
  for (const event of events) units += event.name.length + unitsOfMap(event.attributes);
  for (const link of links) units += link.traceId.length + link.spanId.length + unitsOfMap(link.attributes);
  return units;
}

/** Room for an id, a number, a time, brackets and quotes. */
const ROOM = 64;

function unitsOfMap(map: OtelMap): number {
  let units = ROOM;
  map.forEach((value, name) => {
    units += name.length + unitsOf(value);
  });
  return units;
}

function unitsOf(value: OtelValue): number {
  if (typeof value === 'string') return value.length + ROOM;
  if (typeof value !== 'object' || value === null) return ROOM;
  if (value instanceof Uint8Array) return value.length * 2;
  if (isMap(value)) return unitsOfMap(value);
  let units = ROOM;
  for (const item of value) units += unitsOf(item);
  return units;
}

/** Whether a value is a map of attributes. */
export const isMap = (value: unknown): value is OtelMap => value instanceof Map;
