/** Values of a query: lists are repeated, members of an object are `name.key`, what is undefined or null is left out. */
export type Query = Readonly<Record<string, unknown>>;

/**
 * @param path as `/api/traces/{id}`.
 * @param values what stands for the names in braces; percent-encoded here.
 * @throws TypeError for a value that is missing, or that cannot stand in a URL.
 */
export const filledPath = (path: string, values: Readonly<Record<string, unknown>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(values[name] ?? '');
    if (/^\.{0,2}$/.test(text)) throw new TypeError(`path.${name} must be given, and neither empty nor dots alone`);
    return encodeURIComponent(text);
  });

/** @returns the query as it stands behind a path: with `?`, or behind what the path has already. */
export function withQuery(path: string, query: Query = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) for (const item of value) parts.append(name, String(item));
    else if (typeof value === 'object' && !(value instanceof Date)) {
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined) parts.append(`${name}.${key}`, String(member));
      }
    } else parts.append(name, value instanceof Date ? value.toISOString() : String(value));
  }
  const text = parts.toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
