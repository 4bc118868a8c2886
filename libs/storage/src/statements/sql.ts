export type Dialect = 'sqlite' | 'postgres';

/** What a parameter may be. Booleans are stored as 0 and 1. */
export type SqlValue = string | number | null | Uint8Array;

export interface RenderedSql {
  readonly text: string;
  readonly params: SqlValue[];
}

/** A piece of SQL with its parameters; pieces nest. Made by {@link sql}, {@link anyOf} and {@link containsText}. */
export interface Sql {
  writeTo(target: SqlTarget): void;
}

/** Collects the text and parameters of a statement in the form of one database. */
class SqlTarget {
  text = '';
  readonly params: SqlValue[] = [];
  constructor(readonly dialect: Dialect) {}

  /**
   * Writes a parameter. Of `+?` SQLite asks no value: where one could lead to another plan it prepares a statement for
   * every run, up to half of a list's time. Plans are ours (`unindexed`).
   */
  param(value: SqlValue): void {
    this.params.push(value);
    this.text += this.dialect === 'sqlite' ? '+?' : `$${this.params.length}`;
  }
}

/**
 * A statement or a piece of one: every `${value}` becomes a parameter, every `${piece}` is put in place. Nothing is
 * spliced in as text except by {@link rawSql}.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Sql {
  return {
    writeTo(target) {
      for (const [index, text] of strings.entries()) {
        target.text += text;
        if (index >= values.length) continue;
        const value = values[index]!;
        if (typeof value !== 'object' || value === null) target.param(value ?? null);
        else if (value instanceof Uint8Array) target.param(value);
        else value.writeTo(target);
      }
    },
  };
}

/** Constant text of the program itself (column lists, keywords); never anything a caller sent. */
export const rawSql = (text: string): Sql => ({
  writeTo(target) {
    target.text += text;
  },
});

export const joinSql = (pieces: readonly Sql[], separator: string): Sql => ({
  writeTo(target) {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) target.text += separator;
      piece.writeTo(target);
    }
  },
});

/** `column` is one of `values`; one parameter whatever their number, so that the statement stays the same. */
export const anyOf = (column: string, values: readonly string[]): Sql => ({
  writeTo(target) {
    if (target.dialect === 'sqlite') {
      target.text += `${column} in (select value from json_each(`;
      target.param(JSON.stringify(values));
      target.text += '))';
    } else {
      target.text += `${column} = any(`;
      target.param(postgresTextArray(values));
      target.text += '::text[])';
    }
  },
});

/** Columns of values, all of one length, each with its type. */
export type ValueColumns = Readonly<
  Record<
    string,
    { type: 'text'; values: readonly (string | null)[] } | { type: 'number'; values: readonly (number | null)[] }
  >
>;

/**
 * Rows of the program's own as a table `(…) as alias`; few parameters whatever their number, so that the statement
 * stays the same. Column names are constant text of the program itself.
 */
export const rowsFrom = (alias: string, columns: ValueColumns): Sql => ({
  writeTo(target) {
    const names = Object.keys(columns);
    if (target.dialect === 'sqlite') {
      const [first] = Object.values(columns);
      const rows = (first?.values ?? []).map((_, row) => names.map((name) => columns[name]!.values[row] ?? null));
      const members = names.map((name, index) => `value ->> ${index} as ${name}`);
      target.text += `(select ${members.join(', ')} from json_each(`;
      target.param(JSON.stringify(rows));
      target.text += `)) as ${alias}`;
      return;
    }
    target.text += 'unnest(';
    for (const [index, { type, values }] of Object.values(columns).entries()) {
      if (index > 0) target.text += ', ';
      target.param(
        type === 'text' ? postgresTextArray(values) : `{${values.map((value) => value ?? 'null').join(',')}}`,
      );
      target.text += type === 'text' ? '::text[]' : '::float8[]';
    }
    target.text += `) as ${alias}(${names.join(', ')})`;
  },
});

/**
 * `column` contains `needle`, ignoring the case of ASCII letters; `%`, `_` and `\` mean themselves. On Postgres the
 * collation "C" (see `open-storage.ts`) makes ILIKE fold ASCII only, as SQLite's LIKE does.
 */
export const containsText = (column: string, needle: string): Sql => ({
  writeTo(target) {
    target.text += `${column} ${target.dialect === 'sqlite' ? 'like' : 'ilike'} `;
    target.param(`%${needle.replace(/[\\%_]/g, '\\$&')}%`);
    target.text += " escape '\\'";
  },
});

/** The place of a text in a column, in characters from 1; 0 where it is not. */
export const positionIn = (text: Sql, needle: string): Sql => ({
  writeTo(target) {
    target.text += `${target.dialect === 'sqlite' ? 'instr' : 'strpos'}(`;
    text.writeTo(target);
    target.text += ', ';
    target.param(needle);
    target.text += ')';
  },
});

/**
 * A condition like {@link containsText} for long texts, in half the time of ILIKE. @param folded without letters A to
 * Z.
 */
export const containsFolded = (column: string, folded: string): Sql => ({
  writeTo(target) {
    if (target.dialect === 'sqlite') containsText(column, folded).writeTo(target);
    else sql`strpos(lower(${rawSql(column)}), ${folded}) > 0`.writeTo(target);
  },
});

/** A column that is not to be looked for in an index: SQLite would take any that fits, Postgres chooses by itself. */
export const unindexed = (column: string): Sql => ({
  writeTo(target) {
    target.text += target.dialect === 'sqlite' ? `+${column}` : column;
  },
});

/** A join whose rows come in the order of its first table; see {@link joinedInOrder}. */
export interface OrderedJoin {
  /** Table, or name of a `with`, whose rows have an order of their own. */
  outer: string;
  inner: string;
  alias: string;
  /** What is read of it, as `alias.column`. */
  columns: string;
  where: Sql;
  /** Limit of the whole select, which must have it too. */
  limit: number;
}

/**
 * What stands behind `from` where a join goes through one table row by row and stops at its limit: SQLite joins as a
 * cross join is written, Postgres in any order unless one side is lateral.
 */
export const joinedInOrder = ({ outer, inner, alias, columns, where, limit }: OrderedJoin): Sql => ({
  writeTo(target) {
    const table = `${inner} ${alias}`;
    const joined =
      target.dialect === 'sqlite'
        ? sql`${rawSql(`${outer} cross join ${table}`)} where ${where}`
        : sql`${rawSql(`${outer} cross join lateral (select ${columns} from ${table}`)}
            where ${where} limit ${limit}) ${rawSql(alias)}`;
    joined.writeTo(target);
  },
});

/** Locks the rows of a select until the transaction ends; SQLite has one writer anyway. */
export const forUpdate = (of: string): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') target.text += ` for update of ${of}`;
  },
});

/**
 * Locks rows like {@link forUpdate}, in the order of a column. On SQLite nothing, the order included: a select by a
 * parameter that has an order is planned again each time, which takes it ten times as long.
 */
export const forUpdateInOrder = (of: string, column: string): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') target.text += ` order by ${of}.${column} for update of ${of}`;
  },
});

/** Locks rows like {@link forUpdate}, but leaves out rows that another transaction has locked instead of waiting. */
export const forUpdateSkipLocked = (of: string): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') target.text += ` for update of ${of} skip locked`;
  },
});

export function renderSql(statement: Sql, dialect: Dialect): RenderedSql {
  const target = new SqlTarget(dialect);
  statement.writeTo(target);
  return { text: target.text, params: target.params };
}

/** An array literal; node-postgres would write the same, but parameters here are plain values. */
const postgresTextArray = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'null' : `"${value.replace(/[\\"]/g, '\\$&')}"`)).join(',')}}`;
