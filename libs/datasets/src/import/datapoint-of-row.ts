import {
  madeDatapointKindSchema,
  dottedPath,
  isScore,
  JsonSyntaxError,
  numberOf,
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
export async function datapointOfRow(
  row: SourceRow,
  valuesMax: number,
  columns?: ImportedColumns,
): Promise<DatapointKind> {
  if ('fault' in row) throw new RowFault(row.fault);
  const read = 'cells' in row ? await readCells(row, valuesMax) : readJson(await parseRow(row.json, valuesMax));
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

async function readCells({ cells, metadata = [], others = [] }: CellRow, valuesMax: number): Promise<ReadRow> {
  const members: Members = {};
  const names: string[] = [];
  for (const name of COLUMNS) {
    if (cells[name] === undefined) continue;
    members[name] = await cellValue(cells[name], valuesMax);
    names.push(name);
  }
  const expected = EXPECTED_COLUMNS.find((name) => cells[name] !== undefined);
  const expectedText = expected && (members[expected] === null ? null : cells[expected]);
  if (metadata.length === 0 && others.length === 0) return { members, names, expected, expectedText };
  const counted = new Map(metadata.map((cell) => [cell.key, cell]));
  if (counted.size > 0) members.metadata = await withMembers(members.metadata ?? {}, counted.values(), valuesMax);
  return {
    ...{ members, expected, expectedText },
    names: [...names, ...metadata.map(({ column }) => column), ...others],
    metadata: new Map(counted.values().map(({ column, key }) => [column, key])),
  };
}

/** The metadata with members of columns of their own, which count before those of the same key in the column `metadata`. */
async function withMembers(metadata: JsonValue, cells: Iterable<MetadataCell>, valuesMax: number): Promise<JsonValue> {
  // Anything that is no object is refused as it is.
  if (typeof metadata !== 'object' || Array.isArray(metadata) || JSON.isRawJSON(metadata)) return metadata;
  const members: [string, JsonValue][] = [];
  for (const { key, cell } of cells) members.push([key, await cellValue(cell, valuesMax)]);
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

async function parseRow(json: string, valuesMax: number): Promise<JsonValue> {
  try {
    return await parse(json, valuesMax);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new RowFault(rowFaultOf(error)) : error;
  }
}

/** Numbers are as they are written; others have their turn while a long text is parsed. */
const parse = (json: string, valuesMax: number): Promise<JsonValue> =>
  inTurns(exactJsonInPieces(json, valuesMax, parseWithSources));

/** Why a row, or a cell of it, is not taken as JSON. */
const rowFaultOf = (error: JsonSyntaxError): string =>
  error instanceof TooManyValues
    ? `the row has more than ${error.valuesMax} values (limits.body_values)`
    : error.message;

/** A cell that is JSON, a string apart, is taken as such; every other is text, also one that only begins like JSON. */
async function cellValue(cell: string, valuesMax: number): Promise<JsonValue> {
  if (!MAY_BE_JSON.test(cell)) return cell;
  try {
    return await parse(cell, valuesMax);
  } catch (error) {
    if (error instanceof TooManyValues) throw new RowFault(rowFaultOf(error));
    if (error instanceof JsonSyntaxError) return cell;
    throw error;
  }
}

const MAY_BE_JSON = /^\s*(?:[[{\d-]|true|false|null)/;

/** Whether nothing is in a row: all of its cells are empty, or its object has no members. It is passed over. */
export const isEmptyRow = (row: SourceRow): boolean =>
  'cells' in row
    ? row.others === undefined && row.metadata === undefined && Object.keys(row.cells).length === 0
    : 'json' in row && /^\s*\{\s*\}\s*$/.test(row.json);

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
  async kindOf(row: SourceRow, columns: ImportedColumns): Promise<DatapointKind | undefined> {
    try {
      return await datapointOfRow(row, this.valuesMax, columns);
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
