import { isScore, type ImportResult } from '@spandrel/contract';
import { EXPECTED_COLUMNS } from './source-row.js';

/** Names that an answer lists; what a hostile file has beyond is not kept. */
const LISTED_MAX = 100;
/** A name that is shown is cut behind so many UTF-16 units. */
const NAME_LENGTH_MAX = 128;

/** Members that a row may give a Generic datapoint by their own names, a score apart. */
const GENERIC_MEMBERS: ReadonlySet<string> = new Set(['input', 'actual_output', 'metadata']);
const CONVERSATION_MEMBERS: ReadonlySet<string> = new Set(['messages', 'metadata']);

/** A row that has become a datapoint. */
export interface ImportedRow {
  /** The columns that it has a value in, or the members of its object. */
  names: Iterable<string>;
  isConversation: boolean;
  /** The name whose value is the expected one; `undefined`: there is none. */
  expected: string | undefined;
  /** Whether there is an expected value that is not `null`. */
  hasExpected: boolean;
  score: unknown;
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
      if (members === undefined) this.used.set(name, (members = new Map<string, number>()));
      raise(members, member);
    }
  }

  /** The members of the answer that say what became of the columns. */
  answer(): Pick<ImportResult, 'columns_used' | 'columns_ignored' | 'without_expected_count' | 'hint'> {
    const hint = this.hint();
    return {
      columns_used: [...this.used].flatMap(([column, members]) =>
        [...members].map(([member, rows]) => ({ column, member, rows })),
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
    const ignored = [...this.ignored.keys()].slice(0, NAMES_IN_HINT).map((name) => JSON.stringify(cut(name)));
    const what = missing === 1 ? '1 row has no expected value' : `${missing} rows have no expected value`;
    const where = `expected values are read from ${anyOf(EXPECTED_COLUMNS)}`;
    const left = ignored.length === 0 || missing < rows ? '' : `; ignored: ${ignored.join(', ')}`;
    return `${what}, which ExactMatch and Contains need: ${where}${left}`;
  }
}

const NAMES_IN_HINT = 10;

function memberOf(name: string, { isConversation, expected, score }: ImportedRow): string | undefined {
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

/** `a, b or c`. */
export const anyOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
