import {
  madeDatapointKindSchema,
  dottedPath,
  isScore,
  JsonSyntaxError,
  parseExactJson,
  TooManyValues,
  type DatapointKind,
  type JsonValue,
} from '@spandrel/contract';
import type { ImportedColumns } from './imported-columns.js';
import { COLUMNS, EXPECTED_COLUMNS, isColumn, type CellRow, type Column, type SourceRow } from './source-row.js';
import { describeNames } from './unknown-columns.js';

/** A row that makes no datapoint; `message` is fit for the caller. */
export class RowFault extends Error {
  override readonly name = 'RowFault';

  /** @param hasUnknownNames whether the row has members, none of which means anything to an import. */
  constructor(
    message: string,
    readonly hasUnknownNames = false,
  ) {
    super(message);
  }
}

/**
 * What a row of an imported file becomes (docs/spec/import-export.md#what-a-row-becomes): `messages` make a
 * conversation, else `input` makes a Generic. Members it does not know are ignored. `actual_output` and `score` come
 * back from an export; a score that is none (another file's column) is ignored like any other member.
 * @param valuesMax values that a row, or a cell, may have (setting `limits.body_values`).
 * @param columns is called with a row that becomes a datapoint.
 * @throws RowFault
 */
export function datapointOfRow(row: SourceRow, valuesMax: number, columns?: ImportedColumns): DatapointKind {
  if ('fault' in row) throw new RowFault(row.fault);
  const read =
    'cells' in row ? readCells(row, valuesMax) : readJson('value' in row ? row.value : parseRow(row.json, valuesMax));
  const checked = madeDatapointKindSchema.safeParse(kindOf(read));
  if (!checked.success) {
    const { path, message } = checked.error.issues[0]!;
    throw new RowFault(`${dottedPath(path.slice(1))} ${message}`.trim());
  }
  const { expected, expectedText } = read;
  columns?.count({
    names: read.names,
    isConversation: isConversation(read.members),
    expected,
    hasExpected: expectedText !== undefined && expectedText !== null,
    score: read.members.score,
  });
  return checked.data;
}

/** Members of a row by their names; those it does not have are `undefined`. */
type Members = Partial<Record<Column, JsonValue>>;

/** A row as it was read. */
interface ReadRow {
  members: Members;
  /** All of its names, those without a meaning too. */
  names: readonly string[];
  /** The name of its expected value, if it has one. */
  expected: Column | undefined;
  /** The expected value as a conversation has it. */
  expectedText: string | null | undefined;
}

function readJson(row: JsonValue): ReadRow {
  if (typeof row !== 'object' || row === null || Array.isArray(row) || JSON.isRawJSON(row)) {
    throw new RowFault(`the row is ${whatIs(row)}, not a JSON object like {"input": …, "expected_output": …}`);
  }
  const members = row as Members;
  const names = Object.keys(row);
  if (names.length > 0 && !names.some(isColumn)) throw noInput(names, true);
  const expected = EXPECTED_COLUMNS.find((name) => Object.hasOwn(members, name));
  return { members, names, expected, expectedText: expected && textOf(members[expected]!) };
}

function readCells({ cells, others = [], values = {} }: CellRow, valuesMax: number): ReadRow {
  const members: Members = {};
  const names: string[] = [];
  for (const name of COLUMNS) {
    if (cells[name] === undefined) continue;
    members[name] = values[name] ?? cellValue(cells[name], valuesMax);
    names.push(name);
  }
  const expected = EXPECTED_COLUMNS.find((name) => cells[name] !== undefined);
  const expectedText = expected && (members[expected] === null ? null : cells[expected]);
  return { members, names: others.length === 0 ? names : [...names, ...others], expected, expectedText };
}

const isConversation = ({ messages }: Members): boolean => messages !== undefined && messages !== null;

function kindOf({ members: row, names, expected, expectedText }: ReadRow): unknown {
  // Filled member by member: V8 takes the many literals of an import for long-lived and lets them pile up.
  const content: Record<string, unknown> = {};
  const hasMessages = isConversation(row);
  if (hasMessages) {
    content['messages'] = row.messages;
    content['expected'] = expectedText;
  } else if (row.input === undefined) {
    throw noInput(names, false);
  } else {
    content['input'] = row.input;
    content['expected_output'] = expected && row[expected];
    content['actual_output'] = row.actual_output;
    content['score'] = isScore(row.score) ? row.score : undefined;
  }
  content['metadata'] = row.metadata;
  const kind: Record<string, unknown> = {};
  kind[hasMessages ? 'LlmConversation' : 'Generic'] = content;
  return kind;
}

const noInput = (names: readonly string[], isUnknown: boolean): RowFault =>
  new RowFault(
    names.length === 0
      ? 'the row has neither input nor messages'
      : `the row has neither input nor messages: it has ${describeNames(names)}`,
    isUnknown,
  );

/** What a row that is no object is. */
function whatIs(row: JsonValue): string {
  if (Array.isArray(row)) return 'a list';
  if (row === null) return 'null';
  return typeof row === 'string' ? 'a text' : typeof row === 'boolean' ? 'true or false' : 'a number';
}

const textOf = (value: JsonValue): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);

function parseRow(json: string, valuesMax: number): JsonValue {
  try {
    return parseExactJson(json, valuesMax);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new RowFault(rowFaultOf(error)) : error;
  }
}

/** Why a row, or a cell of it, is not taken as JSON. */
export const rowFaultOf = (error: JsonSyntaxError): string =>
  error instanceof TooManyValues
    ? `the row has more than ${error.valuesMax} values (limits.body_values)`
    : error.message;

/** A cell that is JSON, a string apart, is taken as such; every other is text. */
function cellValue(cell: string, valuesMax: number): JsonValue {
  if (!mayBeJson(cell)) return cell;
  try {
    return parseExactJson(cell, valuesMax);
  } catch (error) {
    if (error instanceof TooManyValues) throw new RowFault(rowFaultOf(error));
    if (error instanceof JsonSyntaxError) return cell;
    throw error;
  }
}

/** Whether a cell begins as JSON does that is no string. */
export const mayBeJson = (cell: string): boolean => MAY_BE_JSON.test(cell);

const MAY_BE_JSON = /^\s*(?:[[{\d-]|true|false|null)/;
