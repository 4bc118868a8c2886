import {
  datapointKindSchema,
  dottedPath,
  isScore,
  JsonSyntaxError,
  parseExactJson,
  type DatapointKind,
  type JsonValue,
} from '@spandrel/contract';
import { COLUMNS, type Column, type SourceRow } from './source-row.js';

/** A row that makes no datapoint; `message` is fit for the caller. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
}

/** Names of the expected output; the first that a row has counts. */
const EXPECTED = ['expected_output', 'expected', 'target', 'output'] as const satisfies Column[];

/**
 * What a row of an imported file becomes (docs/spec/import-export.md#what-a-row-becomes): `messages` make a
 * conversation, else `input` makes a Generic. Members it does not know are ignored. `actual_output` and `score` come
 * back from an export; a score that is none (another file's column) is ignored like any other member.
 * @throws RowFault
 */
export function datapointOfRow(row: SourceRow): DatapointKind {
  if ('fault' in row) throw new RowFault(row.fault);
  const kind = 'json' in row ? kindOfJson(row.json) : kindOfCells(row.cells);
  const checked = datapointKindSchema.safeParse(kind);
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0]!;
  throw new RowFault(`${dottedPath(path.slice(1))} ${message}`.trim());
}

/** Members of a row by their names; those it does not have are `undefined`. */
type Members = Partial<Record<Column, JsonValue>>;

function kindOfJson(json: string): unknown {
  const row = parseRow(json);
  if (typeof row !== 'object' || row === null || Array.isArray(row) || JSON.isRawJSON(row)) {
    throw new RowFault('the row is not a JSON object');
  }
  const members = row as Members;
  const expected = EXPECTED.find((name) => Object.hasOwn(members, name));
  return kindOf(members, expected && members[expected], expected && textOf(members[expected]!));
}

function kindOfCells(cells: Partial<Record<Column, string>>): unknown {
  const members: Members = {};
  for (const name of COLUMNS) {
    if (cells[name] !== undefined) members[name] = cellValue(cells[name]);
  }
  const expected = EXPECTED.find((name) => cells[name] !== undefined);
  const value = expected && members[expected];
  return kindOf(members, value, value === null ? null : expected && cells[expected]);
}

/** @param text the expected value as a conversation has it. */
function kindOf(row: Members, expected: JsonValue | undefined, text: string | null | undefined): unknown {
  // Filled member by member: V8 takes the many literals of an import for long-lived and lets them pile up.
  const content: Record<string, unknown> = {};
  const isConversation = row.messages !== undefined && row.messages !== null;
  if (isConversation) {
    content['messages'] = row.messages;
    content['expected'] = text;
  } else if (row.input === undefined) {
    throw new RowFault('the row has neither input nor messages');
  } else {
    content['input'] = row.input;
    content['expected_output'] = expected;
    content['actual_output'] = row.actual_output;
    content['score'] = isScore(row.score) ? row.score : undefined;
  }
  content['metadata'] = row.metadata;
  const kind: Record<string, unknown> = {};
  kind[isConversation ? 'LlmConversation' : 'Generic'] = content;
  return kind;
}

const textOf = (value: JsonValue): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);

function parseRow(json: string): JsonValue {
  try {
    return parseExactJson(json);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new RowFault(error.message);
    throw error;
  }
}

/** A cell that is JSON, a string apart, is taken as such; every other is text. */
function cellValue(cell: string): JsonValue {
  if (!MAY_BE_JSON.test(cell)) return cell;
  try {
    return parseExactJson(cell);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return cell;
    throw error;
  }
}

const MAY_BE_JSON = /^\s*(?:[[{\d-]|true|false|null)/;
