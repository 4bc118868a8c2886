import {
  datapointKindSchema,
  dottedPath,
  JsonSyntaxError,
  parseExactJson,
  type DatapointKind,
  type JsonValue,
} from '@spandrel/contract';
import type { Column, SourceRow } from './source-row.js';

/** A row that makes no datapoint; `message` is fit for the caller. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
}

/** Names of the expected output; the first that a row has counts. */
const EXPECTED = ['expected_output', 'expected', 'target', 'output'] as const satisfies Column[];

/**
 * What a row of an imported file becomes (contract.md "Datasets and datapoints"): `messages` make a conversation, else
 * `input` makes a Generic. Members it does not know are ignored. `actual_output` and `score` come back from an export;
 * a score that is none (another file's column) is ignored like any other member.
 * @throws RowFault
 */
export function datapointOfRow(row: SourceRow): DatapointKind {
  if ('fault' in row) throw new RowFault(row.fault);
  const members = 'json' in row ? jsonMembers(row.json) : cellMembers(row.cells);
  const kind = kindOf(members);
  const checked = datapointKindSchema.safeParse(kind);
  if (checked.success) return checked.data;
  const { path, message } = checked.error.issues[0]!;
  throw new RowFault(`${dottedPath(path.slice(1))} ${message}`.trim());
}

/** Members of a row by their names in {@link COLUMNS}. */
interface Members {
  has(name: Column): boolean;
  /** @returns `undefined` when the row has none of this name. */
  value(name: Column): JsonValue | undefined;
  /** The value as a conversation expects it. */
  text(name: Column): string | null;
}

function kindOf(members: Members): unknown {
  const messages = members.value('messages') ?? undefined;
  const expected = EXPECTED.find((name) => members.has(name));
  const metadata = members.value('metadata');
  const common = metadata === undefined ? {} : { metadata };
  if (messages !== undefined) {
    return { LlmConversation: { messages, ...(expected && { expected: members.text(expected) }), ...common } };
  }
  const input = members.value('input');
  if (input === undefined) throw new RowFault('the row has neither input nor messages');
  const actual = members.value('actual_output');
  const score = members.value('score');
  return {
    Generic: {
      input,
      ...(expected && { expected_output: members.value(expected) }),
      ...(actual !== undefined && { actual_output: actual }),
      ...(typeof score === 'number' && score >= 0 && score <= 1 && { score }),
      ...common,
    },
  };
}

function jsonMembers(json: string): Members {
  const row = parseRow(json);
  if (typeof row !== 'object' || row === null || Array.isArray(row) || JSON.isRawJSON(row)) {
    throw new RowFault('the row is not a JSON object');
  }
  const has = (name: Column): boolean => Object.hasOwn(row, name);
  const value = (name: Column): JsonValue | undefined => (has(name) ? row[name] : undefined);
  return {
    has,
    value,
    text: (name) => {
      const given = value(name);
      return given === null || typeof given === 'string' ? given : JSON.stringify(given);
    },
  };
}

function parseRow(json: string): JsonValue {
  try {
    return parseExactJson(json);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new RowFault(error.message);
    throw error;
  }
}

function cellMembers(cells: Partial<Record<Column, string>>): Members {
  return {
    has: (name) => cells[name] !== undefined,
    value: (name) => (cells[name] === undefined ? undefined : cellValue(cells[name])),
    text: (name) => cells[name] ?? null,
  };
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
