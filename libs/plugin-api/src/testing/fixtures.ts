import { readFileSync } from 'node:fs';

/** Reads the recorded requests and answers that lie beside a plugin's spec. */
export interface FixtureFolder {
  /** A file parsed from JSON. */
  json(file: string): unknown;
  /** A file as text: a streamed answer. */
  text(file: string): string;
}

/** @param folder URL of the folder: `new URL('./fixtures/', import.meta.url)`. */
export function fixturesIn(folder: URL): FixtureFolder {
  const text = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
  return { text, json: (file) => JSON.parse(text(file)) as unknown };
}
