import { oneLine } from '../../client/output/clean-text.js';
import { cutText as cutColumns } from '../../client/output/cut-text.js';

/** Characters of a recorded text that are looked at for one column: marks that stand on one letter take none. */
const CHARACTERS_A_COLUMN = 16;

/** What a person reads of a recorded value in one line, cut to so many columns. */
export const previewOf = (value: unknown, columns: number): string =>
  cutColumns(oneLine(textOf(value).slice(0, columns * CHARACTERS_A_COLUMN)), columns);

/** A text that is cut says so. */
export const cutText = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax).toWellFormed()} … (${text.length} characters)`;

/** A text as it is, of a conversation what was said last, any other value as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const said = Array.isArray(value) ? contentOf(value.at(-1)) : undefined;
  return said ?? JSON.stringify(value) ?? '';
}

function contentOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('role' in message)) return undefined;
  const { content } = message as { content?: unknown };
  return typeof content === 'string' ? content : undefined;
}
