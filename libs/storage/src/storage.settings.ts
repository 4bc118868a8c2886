import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';

/** The database of cloud mode; local mode has a file in its data directory. */
export class DatabaseSettings extends defineSettings(
  {
    /** `postgres://…`; `null`: not set. */
    url: setting('database.url', settingValue.postgresUrl.nullable(), {
      default: null,
      doc: 'The database, as postgres://user:password@host:port/name; better given by DATABASE_URL or DATABASE_URL_FILE.',
      cloudNeeds: 'the URL of a Postgres database',
      source: { variable: 'DATABASE_URL', secret: true },
    }),
    /** Connections of this process at most: a long read, a write, and what the queue of eval runs asks are three. */
    poolMax: setting('database.pool_max', z.number().int().min(3).max(1_000), {
      default: 10,
      doc: 'Connections of one server at most. All servers together must stay below max_connections of Postgres.',
      source: { variable: 'SPANDREL_DATABASE_POOL', kind: 'integer' },
    }),
    statementTimeoutMs: setting('database.statement_timeout', settingValue.seconds(1, 86_400), {
      default: 60,
      doc: 'Seconds after which a statement is given up.',
    }),
    transactionPooling: setting('database.transaction_pooling', z.boolean(), {
      default: false,
      doc: 'Whether a pooler in transaction mode, such as PgBouncer, is between server and Postgres. Nothing is then kept on a\nconnection from one transaction to the next: timeouts are those of each transaction, nothing is prepared.',
      source: { variable: 'SPANDREL_DATABASE_TRANSACTION_POOLING', kind: 'boolean' },
    }),
  },
  { database: 'Cloud mode: Postgres 15 or later.' },
) {}
