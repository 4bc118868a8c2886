import { FormFault } from '../../api/field-faults.js';

/** Metadata as the form has it: `commit = 1a2b3c`, one a line. */
export const writeMetadata = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} = ${value}`)
    .join('\n');

/** The metadata of such a text. @throws FormFault for a line without a key or without `=`. */
export function readMetadata(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      const key = line.slice(0, Math.max(at, 0)).trim();
      if (key === '')
        throw new FormFault('metadata', `must be KEY = VALUE in each line, which "${line.trim()}" is not`);
      return [key, line.slice(at + 1).trim()];
    }),
  );
}
