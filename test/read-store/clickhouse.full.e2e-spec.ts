import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReadStore } from '@spandrel/plugin-api';
import { describeReadStoreContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import { inCluster } from '../../plugins/read-stores/clickhouse/cluster.sql.js';
import clickhouse from '../../plugins/read-stores/clickhouse/index.js';
import { movedTo, OURS, tablesOf } from '../../plugins/read-stores/clickhouse/tables.sql.js';
import { describeWithClickHouse, startClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { POSTGRES, SQLITE } from '../support/databases.ts';
import { repetitions } from '../support/repetitions.ts';
import { until } from '../support/spandrel.ts';
import { assertAlwaysEqual, EQUALITY_QUERIES, openWithStore } from './equality.ts';

describeWithClickHouse('ClickHouse', () => {
  let [server, store]: [TestClickHouse?, ReadStore?] = [];

  beforeAll(async () => {
    server = await startClickHouse();
    store = await setUpPlugin(clickhouse, { url: server.url });
  });
  afterAll(async () => {
    await store?.close();
    await server?.crash();
  });

  describeReadStoreContract(
    {
      plugin: clickhouse,
      configs: {
        accepted: [
          { url: 'http://127.0.0.1:8123' },
          { url: 'https://ch', username: 'u', password: 'p', database: 'd' },
          { url: 'http://ch', cluster: 'three', s3_disk: { policy: 'tiered', volume: 'cold', after_days: 30 } },
        ],
        refused: [
          {},
          { url: 'http://ch', path: '/data' },
          { url: 'http://ch', database: 'a-b' },
          { path: '/data', cluster: 'three' },
        ],
      },
      provide: async () => store!,
    },
    { describe, it },
  );

  const ask = async (query: string): Promise<string> => {
    const response = await fetch(server!.url, { method: 'POST', body: query });
    expect({ query, status: response.status }).toEqual({ query, status: 200 });
    return response.text();
  };

  it('takes the statements for a cluster as its own', async () => {
    const disk = { policy: 'tiered', volume: 'cold', after_days: 30 };
    for (const statement of inCluster('db', 'three', [...tablesOf('db'), ...movedTo('db', disk)])) {
      const escaped = statement.replace(/['\\]/g, '\\$&');
      expect(await ask(`SELECT formatQuery('${escaped}') FORMAT TSVRaw`)).toContain('ON CLUSTER three');
    }
  });

  it('moves old rows to another disk, also of tables that are there, and refuses a cluster that there is not', async () => {
    const config = { url: server!.url, database: 'moved' };
    for (const days of [30, 60]) {
      const disk = { policy: 'default', volume: 'default', after_days: days };
      const moved = await setUpPlugin(clickhouse, { ...config, s3_disk: disk });
      await moved.open();
      if (days === 30) await moved.begin('c');
      expect(
        await ask("SELECT create_table_query FROM system.tables WHERE database = 'moved' FORMAT TSVRaw"),
      ).toContain(`toIntervalDay(${days}) TO VOLUME 'default'`);
      await moved.close();
    }
    const spread = await setUpPlugin(clickhouse, { ...config, cluster: 'three' });
    await expect(spread.open()).rejects.toThrow('knows no cluster three');
    await spread.close();
  });

  it('has nothing when a table is gone or of another form, and leaves tables of others alone', async () => {
    const database = 'formed';
    const formed = await setUpPlugin(clickhouse, { url: server!.url, database });
    await formed.open();
    expect(await formed.state()).toBeNull();
    await formed.begin('c');
    const changes = [
      `ALTER TABLE ${database}.spans MODIFY COMMENT '${OURS}, form 0'`,
      `DROP TABLE ${database}.traces SYNC`,
    ];
    for (const change of changes) {
      expect(await formed.state()).toEqual({ content: 'c', batch: 0 });
      await ask(change);
      expect(await formed.state()).toBeNull();
      await formed.begin('c');
    }
    await ask(`ALTER TABLE ${database}.loader MODIFY COMMENT 'of somebody'`);
    await expect(formed.begin('d')).rejects.toThrow("formed.loader is not Spandrel's; name another database");
    await formed.close();
  });

  it('builds the indexes of large inserts behind them, also those that another loader left', async () => {
    const database = 'unmerged';
    const loader = async (): Promise<ReadStore> => {
      const one = await setUpPlugin(clickhouse, { url: server!.url, database });
      await one.open();
      return one;
    };
    const loaders = [await loader(), await loader()] as const;
    let [unmerged] = loaders;
    await unmerged.begin('c');
    // Merges would build them, too.
    await ask(`ALTER TABLE ${database}.spans MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1`);
    const nothing = { name: 'n', kind: 'llm_call', model: null, provider: null, status: 'completed' as const };
    const amounts = { input_tokens: null, output_tokens: null, total_tokens: null, cost: null };
    const rest = { cached_tokens: null, duration_ms: null, first_token_ms: null };
    const texts = { input: '"a zebra"', output: null, error: null };
    const spansOf = (batch: number, count: number) =>
      Array.from({ length: count }, (_, n) => {
        const [id, start] = [`s${batch}-${n}`, { started_at: 1e12, ended_at: null }];
        return { projectId: 'p', span: { id, trace_id: 't', ...start, ...nothing, ...amounts, ...rest, ...texts } };
      });
    const apply = (batch: number, count: number) =>
      unmerged.apply({ content: 'c', batch, removed: [], traces: [], spans: spansOf(batch, count) });
    const parts = async (): Promise<string> =>
      (
        await ask(`SELECT arraySort(groupArray(secondary_indices_compressed_bytes > 0)) FROM system.parts
          WHERE active AND database = '${database}' AND table = 'spans' FORMAT TSVRaw`)
      ).trim();
    const found = () => {
      const query = {
        projectId: 'p',
        limit: 40_000,
        except: { spans: [], traces: [] },
        instead: { gone: [], traces: [] },
        has: { content: 'c', batch: 2 },
      };
      return unmerged.count({ ...query, filters: { text_contains: 'zebra' } });
    };
    await apply(1, 10);
    await apply(2, 10_000);
    expect([await parts(), await found()]).toEqual(['[0,1]', 10_010]);
    await apply(3, 10);
    await until(async () => (await parts()) === '[1,1,1]');
    await apply(4, 10_000);
    // Each takes over from the other, which had more to do; none waits for it.
    for (const batch of [5, 6, 7]) {
      unmerged = loaders[batch % 2]!;
      await ask(`SYSTEM STOP MERGES ${database}.spans`);
      await apply(batch, batch === 6 ? 10_000 : 10);
      expect(await parts()).toContain('0');
      await ask(`SYSTEM START MERGES ${database}.spans`);
      if (batch !== 6) await until(async () => (await parts()) === JSON.stringify(Array(batch).fill(1)));
    }
    expect(await found()).toBe(30_040);
    for (const one of loaders) await one.close();
  });

  it.each([SQLITE, POSTGRES])(
    'gives the same lists and counts as $name, whatever is written, deleted and loaded',
    async ({ name, open }) => {
      const { newDatabase, drop } = open();
      const config = { url: server!.url, database: `of_${name}` };
      const app = await openWithStore(await newDatabase('clickhouse'), 'clickhouse', { use: 'clickhouse', config });
      try {
        // A store of which nothing is known yet is not asked.
        await app.load();
        await assertAlwaysEqual(app, EQUALITY_QUERIES || repetitions(150), 6);
        const { text } = await app.metrics();
        expect(text).toMatch(/spandrel_read_store_lists_total\{answered="store"\} [1-9]/);
        expect(text).not.toMatch(/spandrel_read_store_lists_total\{answered="off"\} ([2-9]|\d\d)/);
      } finally {
        await app.close();
        await drop();
      }
    },
    EQUALITY_QUERIES ? 7_200_000 : 900_000,
  );
});
