/**
 * A copy of a JSON value with every text replaced; names of members stay. What holds no text is kept by reference, own
 * `__proto__` members survive.
 * @param map gets the text and the name of the member it is the value of, if it is one.
 */
export function mapTexts(value: unknown, map: (text: string, member?: string) => string, member?: string): unknown {
  if (typeof value === 'string') return map(value, member);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return mapList(value, map);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, map, name)]));
}

function mapList(list: readonly unknown[], map: (text: string, member?: string) => string): readonly unknown[] {
  let mapped: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item === 'number') continue;
    const after = mapTexts(item, map);
    if (after !== item) (mapped ??= [...list])[index] = after;
  }
  return mapped ?? list;
}
