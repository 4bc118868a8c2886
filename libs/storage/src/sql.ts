/** The two databases Spandrel runs on. */
export type Dialect = 'sqlite' | 'postgres';

/** What a parameter may be. Booleans are stored as 0 and 1. */
export type SqlValue = string | number | null;

/** Text and parameters in the form of one database. */
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

  param(value: SqlValue): void {
    this.params.push(value);
    this.text += this.dialect === 'sqlite' ? '?' : `$${this.params.length}`;
  }
}

/**
 * A statement or a piece of one, as a template: every `${value}` becomes a parameter, every `${piece}` is put in place.
 * Nothing is ever spliced in as text except by {@link rawSql}.
 */
export function sql(strings: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Sql {
  return {
    writeTo(target) {
      for (const [index, text] of strings.entries()) {
        target.text += text;
        if (index >= values.length) continue;
        const value = values[index]!;
        if (typeof value === 'object' && value !== null) value.writeTo(target);
        else target.param(value ?? null);
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

/** Pieces with a separator between them. */
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

/**
 * `column` contains `needle`, ignoring the case of ASCII letters; `%`, `_` and `\` mean themselves.
 * Postgres columns have the collation "C" (see `open-storage.ts`), so ILIKE folds ASCII only, as SQLite's LIKE does.
 */
export const containsText = (column: string, needle: string): Sql => ({
  writeTo(target) {
    target.text += `${column} ${target.dialect === 'sqlite' ? 'like' : 'ilike'} `;
    target.param(`%${needle.replace(/[\\%_]/g, '\\$&')}%`);
    target.text += " escape '\\'";
  },
});

/** Locks the rows of a select until the transaction ends; SQLite has one writer anyway. */
export const forUpdate = (of: string): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') target.text += ` for update of ${of}`;
  },
});

/** As {@link forUpdate}, but rows that another transaction has locked are left out instead of waited for. */
export const forUpdateSkipLocked = (of: string): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') target.text += ` for update of ${of} skip locked`;
  },
});

/** The statement in the form of one database. */
export function renderSql(statement: Sql, dialect: Dialect): RenderedSql {
  const target = new SqlTarget(dialect);
  statement.writeTo(target);
  return { text: target.text, params: target.params };
}

/** An array literal; node-postgres would write the same, but parameters here are plain values. */
const postgresTextArray = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
