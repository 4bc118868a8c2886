/** Search parameters as pages see them: texts, and lists of texts where a name is repeated. */
export type SearchParameters = Record<string, string | string[]>;

/** Reads the part of an address behind `?`; the names are the API's own, and nothing is read as JSON. */
export function readSearch(text: string): SearchParameters {
  const search: SearchParameters = Object.create(null) as SearchParameters;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = search[name];
    search[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return { ...search };
}

/** Writes search parameters, in the order of the members; empty lists and `undefined` are left out. */
export function writeSearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  // Commas and colons need no escape there, and lists of columns and times can be read.
  const text = parameters.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
}
