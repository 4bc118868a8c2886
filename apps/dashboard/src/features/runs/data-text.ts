/** Data of a datapoint as a line of a list: a text as it is, of messages the last one, other JSON as JSON. */
export function dataText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  const last: unknown = Array.isArray(value) ? value.at(-1) : undefined;
  if (typeof last === 'object' && last !== null && 'content' in last) return dataText(last.content);
  return JSON.stringify(value);
}

/** All of the data: a text as it is, other JSON on several lines. */
export const wholeText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);
