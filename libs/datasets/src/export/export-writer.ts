import { stringify } from 'csv-stringify/sync';
import type { DatapointKind } from '@spandrel/contract';
import type { FileFormat } from '../import/file-format.js';

/** How a file of a format is put together. */
interface ExportWriter {
  head: string;
  rows(kinds: readonly DatapointKind[]): string;
  /** Text between two calls of `rows`. */
  between: string;
  tail: string;
}

const CSV_COLUMNS = ['input', 'expected_output', 'actual_output', 'score', 'metadata', 'messages'] as const;

/** The formats of an export; each comes back by an import. */
export const EXPORT_WRITER: Readonly<Record<FileFormat, ExportWriter>> = {
  jsonl: {
    head: '',
    rows: (kinds) => kinds.map((kind) => `${JSON.stringify(membersOf(kind))}\n`).join(''),
    between: '',
    tail: '',
  },
  json: {
    head: '[\n',
    rows: (kinds) => kinds.map((kind) => JSON.stringify(membersOf(kind))).join(',\n'),
    between: ',\n',
    tail: '\n]\n',
  },
  csv: {
    head: stringify([[...CSV_COLUMNS]]),
    rows: (kinds) => stringify(kinds.map(cellsOf)),
    between: '',
    tail: '',
  },
};

/** The members of a datapoint by the names an import knows; those without a value are left out, `input` never is. */
function membersOf(kind: DatapointKind): Record<string, unknown> {
  if ('LlmConversation' in kind) {
    const { messages, expected, metadata } = kind.LlmConversation;
    return { messages, ...present({ expected, metadata }) };
  }
  const { input, expected_output, actual_output, score, metadata } = kind.Generic;
  return { input, ...present({ expected_output, actual_output, score, metadata }) };
}

const present = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

function cellsOf(kind: DatapointKind): string[] {
  if ('LlmConversation' in kind) {
    const { messages, expected, metadata } = kind.LlmConversation;
    return ['', cell(expected), '', '', cell(metadata), cell(messages)];
  }
  const { input, expected_output, actual_output, score, metadata } = kind.Generic;
  const inputCell = input === null ? 'null' : cell(input);
  return [inputCell, cell(expected_output), cell(actual_output), cell(score), cell(metadata), ''];
}

/** Text as it is, but never a formula to a spreadsheet (OWASP "CSV Injection"); other JSON as compact JSON text. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return FORMULA_START.test(value) ? `'${value}` : value;
  return JSON.stringify(value);
}

/** What spreadsheets take for the start of a formula, in full width too, and what some of them drop before looking. */
const FORMULA_START = /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n\0]/;
