import type Database from 'better-sqlite3';

const STATEMENTS_MAX = 200;

/** Prepared statements by their text; the least recently used go first. */
export class StatementCache {
  private readonly statements = new Map<string, Database.Statement>();

  constructor(private readonly database: Database.Database) {}

  get(text: string): Database.Statement {
    let statement = this.statements.get(text);
    if (statement) {
      this.statements.delete(text);
    } else {
      statement = this.database.prepare(text);
      if (this.statements.size >= STATEMENTS_MAX) this.statements.delete(this.statements.keys().next().value!);
    }
    this.statements.set(text, statement);
    return statement;
  }
}
