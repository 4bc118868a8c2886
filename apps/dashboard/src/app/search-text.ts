import { withQuery } from '@spandrel/sdk/api';

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

/**
 * Writes search parameters, in the order of the members; empty lists and `undefined` are left out. Commas and colons need no
 * escape there, and lists of columns and times can be read.
 */
export const writeSearch = (search: Record<string, unknown>): string =>
  withQuery('', search).replaceAll('%2C', ',').replaceAll('%3A', ':');
