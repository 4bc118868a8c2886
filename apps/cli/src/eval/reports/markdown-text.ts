import { stripVTControlCharacters } from 'node:util';

/** A table of texts that are markdown already; nothing without rows. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

/** A recorded text as code in one line, so that nothing in it is markdown, a link or the name of somebody. */
export function inlineCode(text: string): string {
  const line = stripVTControlCharacters(text)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (line === '') return '';
  // Code may have any backticks but a run of as many as it stands between.
  const fence = '`'.repeat(longestRun(line) + 1);
  const blank = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  // In a table a backslash takes its meaning from the bar behind it: one before it would free the bar.
  return `${fence}${blank}${line.replace(/\\(?=\|)/g, '\\ ').replaceAll('|', '\\|')}${blank}${fence}`;
}

/** A name in running text: nothing in it is markdown. */
export const plainText = (text: string): string =>
  stripVTControlCharacters(text)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\\`*_[\]<>|~&]/g, (character) => `&#${character.codePointAt(0)};`);

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
