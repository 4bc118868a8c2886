import { isScore, type ImportResult } from '@spandrel/contract';
import { nearestName } from '@spandrel/kernel';

/** Names of the expected output, in a header row or an object; the first that a row has counts. */
export const EXPECTED_COLUMNS = ['expected_output', 'expected', 'target', 'output'] as const;

/** Columns of a CSV file that mean something, as they stand in its header row. */
export const COLUMNS = ['input', ...EXPECTED_COLUMNS, 'metadata', 'messages', 'actual_output', 'score'] as const;

export type Column = (typeof COLUMNS)[number];

const KNOWN: ReadonlySet<string> = new Set(COLUMNS);

export const isColumn = (name: string): name is Column => KNOWN.has(name);

/** A cell of a column that no import knows: it becomes a member of the metadata. */
export interface MetadataCell {
  /** The name of its column as the header row has it. */
  column: string;
  key: string;
  cell: string;
}

export interface CellRow {
  line: number;
  cells: Partial<Record<Column, string>>;
  /** Cells that are not empty; of two with one key the later counts. Left out when there are none. */
  metadata?: readonly MetadataCell[];
  /** Columns without a name that have a cell which is not empty; left out when there are none. */
  others?: readonly string[];
}

/** One row of an imported file, with the line it begins in: JSON text, the cells of known columns, or what is wrong. */
export type SourceRow = { line: number; json: string } | CellRow | { line: number; fault: string };

const NAMES_SHOWN = 10;
const SHOWN_LENGTH_MAX = 40;

const anyOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** What the columns of a file, or the members of its objects, are called. */
export const EXPECTED_NAMES = `input (or messages), and optionally the expected value as ${anyOf(EXPECTED_COLUMNS)}, and metadata`;

/** Names that were found, each that is not known with the known one it is nearest to: `"inputs" (did you mean input?)`. */
export function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => {
    const text = JSON.stringify(name.length > SHOWN_LENGTH_MAX ? `${name.slice(0, SHOWN_LENGTH_MAX)}…` : name);
    const plain = name.trim().toLowerCase();
    const nearest = isColumn(plain) ? undefined : nearestName(plain.slice(0, SHOWN_LENGTH_MAX), COLUMNS);
    return nearest === undefined ? text : `${text} (did you mean ${nearest}?)`;
  });
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

const SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'vertical bars'],
] as const;

/** Why a header row has no column to import. @param names its cells. */
export function describeHeader(names: readonly string[]): string {
  const first = names[0] ?? '';
  const separator = names.some((name) => isColumn(name.trim().toLowerCase()))
    ? undefined
    : SEPARATORS.find(([sign]) => first.includes(sign));
  if (separator) {
    const [sign, word] = separator;
    const found = describeNames(first.split(sign).map((name) => name.trim()));
    return `the header row seems to be separated by ${word}: it has ${found}; save the file separated by commas, with the columns ${EXPECTED_NAMES}`;
  }
  return `the header row names neither a column input nor a column messages: it has ${describeNames(names)}; expected are ${EXPECTED_NAMES}`;
}

/** Names that an answer lists; what a hostile file has beyond is not kept. */
const LISTED_MAX = 100;
/** A name that is shown is cut behind so many UTF-16 units. */
const NAME_LENGTH_MAX = 128;

/** Members that a row may give a Generic datapoint by their own names, a score apart. */
const GENERIC_MEMBERS: ReadonlySet<string> = new Set(['input', 'actual_output', 'metadata']);
const CONVERSATION_MEMBERS: ReadonlySet<string> = new Set(['messages', 'metadata']);

interface ImportedRow {
  /** The columns that it has a value in, or the members of its object. */
  names: Iterable<string>;
  isConversation: boolean;
  /** The name whose value is the expected one; `undefined`: there is none. */
  expected: string | undefined;
  /** Whether there is an expected value that is not `null`. */
  hasExpected: boolean;
  score: unknown;
  /** The key of each column that became a member of the metadata. */
  metadata?: ReadonlyMap<string, string> | undefined;
}

/**
 * What an import made of the columns of its file, or the members of its objects
 * (docs/spec/import-export.md#what-an-import-says-of-its-file). Its size does not grow with the file.
 */
export class ImportedColumns {
  /** Rows by column and by the member that it became. */
  private readonly used = new Map<string, Map<string, number>>();
  private readonly ignored = new Map<string, number>();
  private rows = 0;
  private rowsWithoutExpected = 0;

  count(row: ImportedRow): void {
    this.rows++;
    if (!row.hasExpected) this.rowsWithoutExpected++;
    for (const name of row.names) {
      const member = memberOf(name, row);
      if (member === undefined) {
        raise(this.ignored, name);
        continue;
      }
      let members = this.used.get(name);
      if (members === undefined && this.used.size >= LISTED_MAX && !isColumn(name)) continue;
      if (members === undefined) this.used.set(name, (members = new Map<string, number>()));
      raise(members, member);
    }
  }

  /** The members of the answer that say what became of the columns. */
  answer(): Pick<ImportResult, 'columns_used' | 'columns_ignored' | 'without_expected_count' | 'hint'> {
    const hint = this.hint();
    return {
      columns_used: [...this.used].flatMap(([column, members]) =>
        [...members].map(([member, rows]) => ({ column: cut(column), member: cut(member), rows })),
      ),
      columns_ignored: [...this.ignored].map(([column, rows]) => ({ column: cut(column), rows })),
      without_expected_count: this.rowsWithoutExpected,
      ...(hint !== undefined && { hint }),
    };
  }

  /** What to do about rows that no scoring by an expected value takes. */
  private hint(): string | undefined {
    const { rows, rowsWithoutExpected: missing } = this;
    if (missing === 0) return undefined;
    const what = missing === 1 ? '1 row has no expected value' : `${missing} rows have no expected value`;
    const where = `expected values are read from ${anyOf(EXPECTED_COLUMNS)}`;
    const kept = [...this.used.keys()].filter((name) => !isColumn(name));
    const left =
      missing < rows ? '' : listNames('ignored', [...this.ignored.keys()]) + listNames('kept as metadata', kept);
    return `${what}, which Exact match and Contains need: ${where}${left}`;
  }
}

const NAMES_IN_HINT = 10;

const listNames = (what: string, names: readonly string[]): string => {
  const shown = names.slice(0, NAMES_IN_HINT).map((name) => JSON.stringify(cut(name)));
  return shown.length === 0 ? '' : `; ${what}: ${shown.join(', ')}`;
};

function memberOf(name: string, { isConversation, expected, score, metadata }: ImportedRow): string | undefined {
  const key = metadata?.get(name);
  if (key !== undefined) return `metadata.${key}`;
  if (name === expected) return isConversation ? 'expected' : 'expected_output';
  if (isConversation) return CONVERSATION_MEMBERS.has(name) ? name : undefined;
  return GENERIC_MEMBERS.has(name) || (name === 'score' && isScore(score)) ? name : undefined;
}

function raise(counts: Map<string, number>, name: string): void {
  const count = counts.get(name);
  if (count !== undefined) counts.set(name, count + 1);
  else if (counts.size < LISTED_MAX) counts.set(name, 1);
}

const cut = (name: string): string => (name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name);
