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

/** A piece that is there in the statements of one database alone. */
const on =
  (dialect: Dialect) =>
  (piece: Sql): Sql => ({
    writeTo(target) {
      if (target.dialect === dialect) piece.writeTo(target);
    },
  });
export const onSqlite = on('sqlite');
export const onPostgres = on('postgres');

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
export function containsText(column: string, needle: string): Sql {
  const operator = sql`${onSqlite(rawSql('like'))}${onPostgres(rawSql('ilike'))}`;
  return sql`${rawSql(column)} ${operator} ${`%${needle.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
}

/** The place of a text in a column, in characters from 1; 0 where it is not. */
export const positionIn = (text: Sql, needle: string): Sql =>
  sql`${onSqlite(rawSql('instr'))}${onPostgres(rawSql('strpos'))}(${text}, ${needle})`;

/**
 * A condition like {@link containsText} for long texts, in half the time of ILIKE. @param folded without letters A to
 * Z.
 */
export const containsFolded = (column: string, folded: string): Sql =>
  sql`${onSqlite(containsText(column, folded))}${onPostgres(sql`strpos(lower(${rawSql(column)}), ${folded}) > 0`)}`;

/** A column that is not to be looked for in an index: SQLite would take any that fits, Postgres chooses by itself. */
export const unindexed = (column: string): Sql => sql`${onSqlite(rawSql('+'))}${rawSql(column)}`;

/** Locks the rows of a select until the transaction ends; SQLite has one writer anyway. */
export const forUpdate = (of: string): Sql => onPostgres(rawSql(` for update of ${of}`));

/**
 * Locks rows like {@link forUpdate}, in the order of a column. On SQLite nothing, the order included: a select by a
 * parameter that has an order is planned again each time, which takes it ten times as long.
 */
export const forUpdateInOrder = (of: string, column: string): Sql =>
  onPostgres(rawSql(` order by ${of}.${column} for update of ${of}`));

/** Locks rows like {@link forUpdate}, but leaves out rows that another transaction has locked instead of waiting. */
export const forUpdateSkipLocked = (of: string): Sql => onPostgres(rawSql(` for update of ${of} skip locked`));

export function renderSql(statement: Sql, dialect: Dialect): RenderedSql {
  const target = new SqlTarget(dialect);
  statement.writeTo(target);
  return { text: target.text, params: target.params };
}

/** An array literal; node-postgres would write the same, but parameters here are plain values. */
const postgresTextArray = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'null' : `"${value.replace(/[\\"]/g, '\\$&')}"`)).join(',')}}`;
