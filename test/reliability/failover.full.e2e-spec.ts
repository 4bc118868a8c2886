/**
 * What requests meet while Postgres fails over to a standby, and behind PgBouncer in transaction mode. Figures: docs/reliability.md.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { openLink } from '../support/cut-link.ts';
import { POOL_SIZE, startPgBouncer } from '../support/pgbouncer.ts';
import { startOwnPostgres, startPostgres, withClient } from '../support/postgres.ts';
import { describeWith } from '../support/redis.ts';
import { repetitions, THOROUGH } from '../support/repetitions.ts';
import { until } from '../support/spandrel.ts';
import { promote, startStandby } from '../support/standby.ts';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';

const WRITERS = 4;
/** Writes that are acknowledged before and after what happens. */
const WRITES = repetitions(200);
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Writers that send one span after another, each until it is acknowledged. */
class Writing {
  readonly acknowledged: string[] = [];
  readonly statuses = new Map<number, number>();
  /** The longest time between two acknowledgements, in milliseconds. */
  gapMs = 0;
  private lastAt = performance.now();
  private going = true;
  private readonly writers: Promise<void>[];

  constructor(
    private readonly api: Api,
    private readonly prefix = '',
  ) {
    ends.push(() => this.stop());
    this.writers = Array.from({ length: WRITERS }, (_, writer) => this.write(writer));
  }

  async stop(): Promise<void> {
    this.going = false;
    await Promise.all(this.writers);
  }

  private async write(writer: number): Promise<void> {
    for (let n = 0; this.going; n++) {
      const id = `${this.prefix}${writer}.${n}`;
      while (!(await this.send(id)) && this.going);
    }
  }

  private async send(id: string): Promise<boolean> {
    const spans = [{ id, trace_id: 't', name: 'n', status: 'completed', output: id }];
    const { status } = await this.api.unchecked.post('/api/ingest', { spans });
    if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status !== 200) return false;
    this.acknowledged.push(id);
    const now = performance.now();
    this.gapMs = Math.max(this.gapMs, now - this.lastAt);
    this.lastAt = now;
    return true;
  }
}

const rowsOf = <Row>(url: string, text: string): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query(text)).rows as Row[]);

const idsOf = async (url: string): Promise<Set<string>> =>
  new Set((await rowsOf<{ id: string }>(url, 'select id from span')).map(({ id }) => id));

async function appOn(url: string, env: Record<string, string> = {}): Promise<{ app: CloudApp; api: Api }> {
  const app = await cloudApp(url, { env });
  ends.push(() => app.close());
  const { api } = await app.createTenant();
  expect((await api.post('/api/traces', { id: 't' })).status).toBe(201);
  return { app, api };
}

/** Fails a primary over to its standby while writers write. @returns what came of it. */
async function failOver(settings: readonly string[]) {
  const primary = await startOwnPostgres(settings);
  ends.push(() => primary.stop());
  const standby = await startStandby(primary, 'standby');
  ends.push(() => standby.stop());
  const address = await openLink(Number(new URL(primary.server).port));
  ends.push(() => address.close());
  const url = new URL(primary.server);
  url.port = String(address.port);
  const { app, api } = await appOn(url.href);
  const writing = new Writing(api);
  await until(() => writing.acknowledged.length > WRITES);
  writing.gapMs = 0;
  const began = performance.now();
  address.cut();
  await primary.crash();
  await until(() => writing.statuses.has(503), 20_000);
  expect((await fetch(`${app.url}/livez`)).status).toBe(200);
  await promote(standby);
  const promotedMs = performance.now() - began;
  address.lead(Number(new URL(standby.server).port));
  address.mend();
  const before = writing.acknowledged.length;
  await until(() => writing.acknowledged.length > before + WRITES, 20_000);
  await writing.stop();
  const kept = await idsOf(standby.server);
  const lost = writing.acknowledged.filter((id) => !kept.has(id));
  const { body } = await api.get<{ trace: { span_count: number } }>('/api/traces/t');
  expect(body.trace.span_count).toBe(kept.size);
  const { gapMs, statuses } = writing;
  return { lost: lost.length, acknowledged: writing.acknowledged.length, gapMs, promotedMs, statuses: [...statuses] };
}

describe('a failover to a standby', () => {
  it('that is synchronous loses nothing that was acknowledged; writes are 503 meanwhile', async () => {
    const seen = await failOver(['synchronous_standby_names=standby', 'synchronous_commit=on']);
    report(seen);
    expect(seen.lost).toBe(0);
    expect(seen.statuses.map(([status]) => status).toSorted()).toEqual([200, 503]);
  });

  // It differs by what Postgres alone does.
  if (THOROUGH) {
    it('that is asynchronous goes on as well, with what had reached it', async () => {
      const seen = await failOver([]);
      report(seen);
      expect(seen.lost).toBeLessThan(seen.acknowledged);
      expect(seen.statuses.map(([status]) => status).toSorted()).toEqual([200, 503]);
    });
  }
});

/** For the figures of docs/reliability.md. */
function report(seen: object): void {
  if (THOROUGH) process.stdout.write(`${JSON.stringify(seen)}\n`);
}

describeWith('pgbouncer', 'PgBouncer in transaction mode', () => {
  it('serves migrations, writes, lists, event streams and eval runs of two servers over five connections', async () => {
    const postgres = await startPostgres();
    ends.push(() => postgres.stop());
    const database = await postgres.createDatabase('pooled');
    const bouncer = await startPgBouncer(database);
    ends.push(() => bouncer.close());
    const provider = await startFakeProvider();
    ends.push(() => provider.close());
    const env = {
      SPANDREL_DATABASE_TRANSACTION_POOLING: 'true',
      SPANDREL_OPENAI_BASE_URL: `${provider.url}/v1`,
    };
    const { api } = await appOn(bouncer.url, env);
    const second = await cloudApp(bouncer.url, { env });
    ends.push(() => second.close());
    const other = new Api(second.url).as(api.headers['authorization']!.slice('Bearer '.length));
    const writing = [new Writing(api, 'a'), new Writing(other, 'b')];
    const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'set' });
    for (let n = 0; n < 20; n++) {
      await api.post(`/api/datasets/${dataset.id}/datapoints`, { kind: { Generic: { input: `fake:slow:20 ${n}` } } });
    }
    const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
      name: 'c',
      provider: 'openai',
      api_key: 'k',
      default_model: 'm',
    });
    const { body: run } = await api.post<{ id: string }>(`/api/datasets/${dataset.id}/eval`, {
      name: 'run',
      scoring: 'None',
      config: { connection_id: connection.id },
    });
    await until(
      async () => (await other.get<{ status: string }>(`/api/eval/${run.id}`)).body.status === 'completed',
      30_000,
    );
    for (const query of ['text_contains=1', 'sort_by=started_at&limit=5', 'status=completed&limit=500']) {
      expect((await other.get(`/api/spans?${query}`)).status).toBe(200);
    }
    await until(() => writing.every(({ acknowledged }) => acknowledged.length > WRITES), 30_000);
    for (const each of writing) await each.stop();
    for (const { statuses } of writing) expect([...statuses.keys()]).toEqual([200]);
    expect((await idsOf(database)).size).toBe(new Set(writing.flatMap(({ acknowledged }) => acknowledged)).size);
    const connections = await rowsOf(database, 'select 1 from pg_stat_activity where datname = current_database()');
    // The one that asks is one too.
    expect(connections.length).toBeLessThanOrEqual(POOL_SIZE + 1);
  });
});
