import { readFileSync } from 'node:fs';
import { defineReadStore } from '@spandrel/plugin-api';
import { z } from 'zod';
import { ClickHouseStore } from './clickhouse-store.js';
import { connectByUrl, openEmbedded } from './connect.js';

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'must be letters, digits and "_"');

const configSchema = z
  .strictObject({
    /** `http(s)://…:8123` of a ClickHouse server. */
    url: z.string().min(1).optional(),
    username: z.string().min(1).default('default'),
    password: z.string().optional(),
    /** A file that holds the password. */
    password_file: z.string().min(1).optional(),
    /** Made when it is not there. */
    database: name.default('spandrel'),
    /** Name of a cluster of the server, with Keeper, over which the tables are spread by traces. */
    cluster: name.optional(),
    /** A volume of a storage policy of the server, as a disk in S3, to which spans move after some days. */
    s3_disk: z.strictObject({ policy: name, volume: name, after_days: z.int().min(1).max(36_500) }).optional(),
    /** A folder for an engine within this process, in place of a server: the package `chdb`. */
    path: z.string().min(1).optional(),
    installed_in: z.string().min(1).default('.'),
    /** How long a list may take. */
    timeout_seconds: z.number().min(1).max(600).default(20),
  })
  .refine(({ url, path }) => (url === undefined) !== (path === undefined), {
    error: 'either url or path is needed',
    path: ['url'],
  })
  .refine(({ cluster, path }) => cluster === undefined || path === undefined, {
    error: 'an engine within this process is no cluster',
    path: ['cluster'],
  });

/** Lists and search of spans in ClickHouse, 26.7 or later. See README.md. */
export default defineReadStore({
  name: 'clickhouse',
  config: configSchema,
  setup({ logger }, { url, path, installed_in: folder, username, database, ...config }) {
    const password = config.password ?? (config.password_file && readFileSync(config.password_file, 'utf8').trim());
    const engine = path === undefined ? connectByUrl({ url: url!, username, password }) : openEmbedded(path, folder);
    const { cluster, s3_disk: coldDisk, timeout_seconds: seconds } = config;
    return new ClickHouseStore({ engine, database, cluster, coldDisk, timeoutMs: seconds * 1_000, logger });
  },
});
