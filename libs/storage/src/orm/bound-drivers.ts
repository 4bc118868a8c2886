import type { AnyEntity, Configuration, EntityData, QueryResult, Transaction } from '@mikro-orm/core';
import { PostgreSqlConnection, PostgreSqlPlatform } from '@mikro-orm/postgresql';
import { AbstractSqlDriver, NativeQueryBuilder, SqlitePlatform, type AbstractSqlConnection } from '@mikro-orm/sql';
import { SqliteConnection } from '@mikro-orm/sqlite';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Dialect } from '../statements/sql.js';

export interface BoundStatement {
  text: string;
  params: (string | number | bigint | null)[];
}

/**
 * A statement of the ORM, which marks values by `?`, with its values as parameters.
 * @returns `undefined` when it has values of other types, or names among them (`??`).
 */
export function bindParameters(text: string, values: readonly unknown[], dialect: Dialect): BoundStatement | undefined {
  if (!values.every(isParameter)) return undefined;
  let bound = 0;
  let hasNames = false;
  const written = text.replace(/\\\?|\?\??/g, (mark) => {
    if (mark === '\\?') return '?';
    hasNames ||= mark === '??';
    bound++;
    return dialect === 'sqlite' ? '?' : `$${bound}`;
  });
  return hasNames || bound !== values.length ? undefined : { text: written, params: [...values] };
}

const isParameter = (value: unknown): value is BoundStatement['params'][number] =>
  value === null || ['string', 'number', 'bigint'].includes(typeof value);

/*
 * The ORM's own connections write values into the text of a statement. These send them as parameters: a text of megabytes
 * is not escaped and parsed, errors and logs show no values, and no escaping stands between a caller and the database.
 */

type Executed = QueryResult | EntityData<AnyEntity> | EntityData<AnyEntity>[];
type Asked = Parameters<AbstractSqlConnection['execute']>;

class BoundSqliteConnection extends SqliteConnection {
  override async execute<T extends Executed>(...asked: Asked): Promise<T> {
    const bound = boundStatement(asked, 'sqlite');
    if (!bound) return super.execute<T>(...asked);
    await this.ensureConnection();
    const [, , method = 'all', transaction] = asked;
    return this.executeQuery(bound.text, async () =>
      this.transformRawResult<T>(await send(transaction ?? this.getClient(), bound), method),
    );
  }
}

class BoundPostgresConnection extends PostgreSqlConnection {
  override async execute<T extends Executed>(...asked: Asked): Promise<T> {
    const bound = boundStatement(asked, 'postgres');
    if (!bound) return super.execute<T>(...asked);
    await this.ensureConnection();
    const [, , method = 'all', transaction] = asked;
    return this.executeQuery(bound.text, async () =>
      this.transformRawResult<T>(await send(transaction ?? this.getClient(), bound), method),
    );
  }
}

function boundStatement([query, params = []]: Asked, dialect: Dialect): BoundStatement | undefined {
  if (typeof query === 'string') return Array.isArray(params) ? bindParameters(query, params, dialect) : undefined;
  const raw = query instanceof NativeQueryBuilder ? query.toRaw() : query;
  return bindParameters(raw.sql, raw.params, dialect);
}

const send = (on: Transaction<Kysely<unknown>>, { text, params }: BoundStatement) =>
  on.executeQuery(CompiledQuery.raw(text, params));

export class BoundSqliteDriver extends AbstractSqlDriver {
  constructor(config: Configuration) {
    super(config, new SqlitePlatform(), BoundSqliteConnection, ['kysely', 'better-sqlite3']);
  }
}

export class BoundPostgresDriver extends AbstractSqlDriver {
  constructor(config: Configuration) {
    super(config, new PostgreSqlPlatform(), BoundPostgresConnection, ['kysely', 'pg']);
  }
}
