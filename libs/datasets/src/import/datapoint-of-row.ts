import {
  madeDatapointKindSchema,
  dottedPath,
  isScore,
  JsonSyntaxError,
  numberOf,
  parseExactJson,
  parseWithSources,
  TooManyValues,
  type DatapointKind,
  type JsonValue,
  exactJsonInPieces,
  type ImportResult,
} from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import { FileFault } from '@spandrel/uploads';
import {
  type ImportedColumns,
  COLUMNS,
  EXPECTED_COLUMNS,
  isColumn,
  type CellRow,
  type Column,
  type MetadataCell,
  type SourceRow,
  describeNames,
} from './source-row.js';

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
    metadata: read.metadata,
  });
  return checked.data;
}

/** Members of a row by their names; those it does not have are `undefined`. */
type Members = Partial<Record<Column, JsonValue>>;

interface ReadRow {
  members: Members;
  /** All of its names, those without a meaning too. */
  names: readonly string[];
  /** The name of its expected value, if it has one. */
  expected: Column | undefined;
  /** The expected value as a conversation has it. */
  expectedText: string | null | undefined;
  /** Keys of the metadata by the columns that they come from. */
  metadata?: ReadonlyMap<string, string>;
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

function readCells({ cells, metadata = [], others = [], values = {} }: CellRow, valuesMax: number): ReadRow {
  const members: Members = {};
  const names: string[] = [];
  for (const name of COLUMNS) {
    if (cells[name] === undefined) continue;
    members[name] = values[name] ?? cellValue(cells[name], valuesMax);
    names.push(name);
  }
  const expected = EXPECTED_COLUMNS.find((name) => cells[name] !== undefined);
  const expectedText = expected && (members[expected] === null ? null : cells[expected]);
  if (metadata.length === 0 && others.length === 0) return { members, names, expected, expectedText };
  const counted = new Map(metadata.map((cell) => [cell.key, cell]));
  if (counted.size > 0) members.metadata = withMembers(members.metadata ?? {}, [...counted.values()], valuesMax);
  return {
    ...{ members, expected, expectedText },
    names: [...names, ...metadata.map(({ column }) => column), ...others],
    metadata: new Map(counted.values().map(({ column, key }) => [column, key])),
  };
}

/** The metadata with members of columns of their own, which count before those of the same key in the column `metadata`. */
function withMembers(metadata: JsonValue, cells: readonly MetadataCell[], valuesMax: number): JsonValue {
  // Anything that is no object is refused as it is.
  if (typeof metadata !== 'object' || Array.isArray(metadata) || JSON.isRawJSON(metadata)) return metadata;
  const members = cells.map(({ key, cell, value }) => [key, value ?? cellValue(cell, valuesMax)] as const);
  return { ...metadata, ...Object.fromEntries(members) };
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
    content['score'] = isScore(row.score) ? numberOf(row.score) : undefined;
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
    return parseExactJson(json, valuesMax, parseWithSources);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new RowFault(rowFaultOf(error)) : error;
  }
}

/** Why a row, or a cell of it, is not taken as JSON. */
const rowFaultOf = (error: JsonSyntaxError): string =>
  error instanceof TooManyValues
    ? `the row has more than ${error.valuesMax} values (limits.body_values)`
    : error.message;

/** A cell that is JSON, a string apart, is taken as such, numbers as they are written; every other is text. */
function cellValue(cell: string, valuesMax: number): JsonValue {
  if (!mayBeJson(cell)) return cell;
  try {
    return parseExactJson(cell, valuesMax, parseWithSources);
  } catch (error) {
    if (error instanceof TooManyValues) throw new RowFault(rowFaultOf(error));
    if (error instanceof JsonSyntaxError) return cell;
    throw error;
  }
}

/** Whether a cell begins as JSON does that is no string. */
const mayBeJson = (cell: string): boolean => MAY_BE_JSON.test(cell);

const MAY_BE_JSON = /^\s*(?:[[{\d-]|true|false|null)/;

/** UTF-16 units of a row, or of a cell, that are parsed or written at once. */
const SHORT = 65_536;

/** Whether nothing is in a row: all of its cells are empty, or its object has no members. It is passed over. */
export const isEmptyRow = (row: SourceRow): boolean =>
  'cells' in row
    ? row.others === undefined && row.metadata === undefined && Object.keys(row.cells).length === 0
    : 'json' in row && /^\s*\{\s*\}\s*$/.test(row.json);

/** Whether a row has a text that would hold up others while it is parsed or written. */
export const isLongRow = (row: SourceRow): boolean =>
  'json' in row ? row.json.length > SHORT : 'cells' in row && textsOf(row).some(isLong);

/** Whether a row has JSON that would hold up others while it is parsed. */
export const hasLongJson = (row: SourceRow): boolean =>
  'cells' in row ? textsOf(row).some(isLongJson) : isLongRow(row);

const textsOf = ({ cells, metadata = [] }: CellRow): string[] => [
  ...Object.values(cells),
  ...metadata.map(({ cell }) => cell),
];

const isLong = (cell: string): boolean => cell.length > SHORT;
const isLongJson = (cell: string): boolean => isLong(cell) && mayBeJson(cell);

/**
 * Parses what is long of a row, and lets others have their turn meanwhile.
 * @param valuesMax values that a row, or a cell, may have.
 * @returns the row with what was parsed, or with what is wrong with it.
 */
export async function parseLongRow(row: SourceRow, valuesMax: number): Promise<SourceRow> {
  const { line } = row;
  try {
    if ('json' in row) return { line, value: await inTurns(exactJsonInPieces(row.json, valuesMax, parseWithSources)) };
    if (!('cells' in row)) return row;
    const values: Partial<Record<Column, JsonValue>> = {};
    for (const [column, cell] of Object.entries(row.cells) as [Column, string][]) {
      if (isLongJson(cell)) values[column] = await longCellValue(cell, valuesMax);
    }
    const metadata: MetadataCell[] = [];
    for (const each of row.metadata ?? []) {
      metadata.push(isLongJson(each.cell) ? { ...each, value: await longCellValue(each.cell, valuesMax) } : each);
    }
    return { ...row, values, ...(row.metadata && { metadata }) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { line, fault: rowFaultOf(error) };
    throw error;
  }
}

/** A cell that is not the JSON that it begins as is text. */
async function longCellValue(cell: string, valuesMax: number): Promise<JsonValue> {
  try {
    return await inTurns(exactJsonInPieces(cell, valuesMax, parseWithSources));
  } catch (error) {
    if (error instanceof JsonSyntaxError && !(error instanceof TooManyValues)) return cell;
    throw error;
  }
}

/** Rows left out that an answer lists. */
const LISTED_ROWS_MAX = 1_000;

/** What an import with `on_error=skip` leaves out (docs/spec/import-export.md#bad-rows). */
export class SkippedRows {
  private readonly listed: { line: number; message: string }[] = [];
  private count = 0;
  private countOfUnknownNames = 0;

  /** @param valuesMax values that a row may have. */
  constructor(private readonly valuesMax: number) {}

  /** What a row becomes; `undefined`, noted, when it becomes nothing. */
  kindOf(row: SourceRow, columns: ImportedColumns): DatapointKind | undefined {
    try {
      return datapointOfRow(row, this.valuesMax, columns);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      this.count++;
      if (error.hasUnknownNames) this.countOfUnknownNames++;
      if (this.listed.length < LISTED_ROWS_MAX) this.listed.push({ line: row.line, message: error.message });
      return undefined;
    }
  }

  /** @throws FileFault when every row was left out because it has no name that an import knows: it is another file. */
  assertKnownNames(): void {
    const [first] = this.listed;
    if (first && this.count === this.countOfUnknownNames) throw new FileFault(first.line, first.message);
  }

  /** The members of the answer that say which rows were skipped. */
  answer(): Pick<ImportResult, 'skipped' | 'skipped_count'> {
    return { skipped: this.listed, skipped_count: this.count };
  }
}
