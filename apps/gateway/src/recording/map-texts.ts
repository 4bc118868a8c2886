/**
 * A copy of a JSON value with every text replaced; names of members stay unless `mapName` is given. Raw JSON numbers
 * and what holds no text are kept by reference, own `__proto__` members survive.
 * @param map gets the text and the name of the member it is the value of, if it is one.
 */
export function mapTexts(
  value: unknown,
  map: (text: string, member?: string) => string,
  mapName?: (name: string) => string,
  member?: string,
): unknown {
  if (typeof value === 'string') return map(value, member);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, mapName));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [mapName ? mapName(name) : name, mapTexts(inner, map, mapName, name)]),
  );
}

/** A reviver for `JSON.parse` that keeps numbers as they were written, so that writing the value again changes none. */
export const keepNumber = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value;
