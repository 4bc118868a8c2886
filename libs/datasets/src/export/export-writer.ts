import { stringify } from 'csv-stringify/sync';
import { kindTexts, type KindColumns } from '../datapoint-json.js';
import type { FileFormat } from '../import/file-format.js';

/** How a file of a format is put together. */
interface ExportWriter {
  head: string;
  rows(rows: readonly KindColumns[]): string;
  /** Text between two calls of `rows`. */
  between: string;
  tail: string;
}

const CSV_COLUMNS = ['input', 'expected_output', 'actual_output', 'score', 'metadata', 'messages'] as const;

/** The formats of an export; each comes back by an import. */
export const EXPORT_WRITER: Readonly<Record<FileFormat, ExportWriter>> = {
  jsonl: {
    head: '',
    rows: (rows) => rows.map((row) => `${objectOf(row)}\n`).join(''),
    between: '',
    tail: '',
  },
  json: {
    head: '[\n',
    rows: (rows) => rows.map(objectOf).join(',\n'),
    between: ',\n',
    tail: '\n]\n',
  },
  csv: {
    head: stringify([[...CSV_COLUMNS]]),
    rows: (rows) => stringify(rows.map(cellsOf)),
    between: '',
    tail: '',
  },
};

const MEMBERS = {
  LlmConversation: ['messages', 'expected', 'metadata'],
  Generic: ['input', 'expected_output', 'actual_output', 'score', 'metadata'],
};

/** The members of a datapoint by the names an import knows; those without a value are left out, `input` never is. */
function objectOf(row: KindColumns): string {
  const { name, texts } = kindTexts(row);
  const given = MEMBERS[name].filter((member) => member === 'input' || (texts.get(member) ?? 'null') !== 'null');
  return `{${given.map((member) => `"${member}":${texts.get(member)}`).join()}}`;
}

function cellsOf(row: KindColumns): string[] {
  const { name, texts } = kindTexts(row);
  const of = (member: string): string => cell(texts.get(member));
  if (name === 'LlmConversation') return ['', of('expected'), '', '', of('metadata'), of('messages')];
  const input = texts.get('input') === 'null' ? 'null' : of('input');
  return [input, of('expected_output'), of('actual_output'), of('score'), of('metadata'), ''];
}

/** Text as it is, but never a formula to a spreadsheet (OWASP "CSV Injection"); other JSON as it is stored, compact. */
function cell(json = 'null'): string {
  if (json === 'null') return '';
  if (!json.startsWith('"')) return json;
  const text = JSON.parse(json) as string;
  return FORMULA_START.test(text) ? `'${text}` : text;
}

/** What spreadsheets take for the start of a formula, in full width too, and what some of them drop before looking. */
const FORMULA_START = /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n\0]/;
