import { readFileSync } from 'node:fs';
import { defineSearchIndex } from '@spandrel/plugin-api';
import { z } from 'zod';
import { DocumentStore } from './document.store.js';

const configSchema = z.strictObject({
  /** `postgres://…`; default: what DATABASE_URL or DATABASE_URL_FILE says. */
  url: z.string().min(1).optional(),
  /** A file that holds the URL. */
  url_file: z.string().min(1).optional(),
  /** The table is its own schema's; made when it is not there. */
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,40}$/, 'must be lower case letters, digits and "_"')
    .default('spandrel_search'),
  /** Numbers of a vector: what the embedding model makes. */
  dimensions: z.number().int().min(1).max(4_000).default(1_536),
  /** Connections of one server at most. */
  pool_max: z.number().int().min(1).max(100).default(4),
});

/** Full-text and vector search in Postgres with the extension pgvector, 0.8 or later. See README.md. */
export default defineSearchIndex({
  name: 'pgvector',
  config: configSchema,
  setup({ logger }, { url, url_file: urlFile, schema, dimensions, pool_max: poolMax }) {
    const found = url ?? (urlFile === undefined ? urlOfEnvironment() : readUrl(urlFile));
    if (found === undefined) throw new Error('config url: the URL of a Postgres database is needed (or DATABASE_URL)');
    return new DocumentStore({ url: found, schema, dimensions, poolMax, logger });
  },
});

function urlOfEnvironment(): string | undefined {
  const { DATABASE_URL: url, DATABASE_URL_FILE: file } = process.env;
  return url || (file ? readUrl(file) : undefined);
}

const readUrl = (file: string): string => readFileSync(file, 'utf8').trim();
