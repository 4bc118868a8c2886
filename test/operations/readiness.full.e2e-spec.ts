/** `/readyz` says whether requests are served: not while the database is away or takes no writes. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openLink, type Link } from '../support/cut-link.ts';
import type { Place, Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { ADMIN_TOKEN } from '../support/tenant.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

const PROBES = ['/livez', '/readyz', '/metrics', '/api/health'];

/** Gauges that a server reads from its database when they are asked for: in both modes, and in one. */
const SOURCES = [
  'spandrel_storage_size_bytes',
  'spandrel_search_tasks_waiting',
  'spandrel_capture_tasks_waiting',
  'spandrel_alert_deliveries_waiting',
  'spandrel_unreadable_connections',
  'spandrel_unreadable_masking_keys',
];
const OF_SQLITE = ['spandrel_storage_disk_free_bytes'];
const OF_CLOUD = [
  'spandrel_removal_oldest_seconds',
  'spandrel_removal_stalled_seconds',
  'spandrel_audit_log_waiting_entries',
];

describeOnBothDatabases('a server', ({ name: database, takePlace }) => {
  let place: Place;
  let link: Link | undefined;
  let program: Program;
  beforeAll(async () => {
    place = await takePlace();
    const env: Record<string, string> = {};
    if (database === 'Postgres') {
      const url = new URL(place.env['DATABASE_URL']!);
      link = await openLink(Number(url.port));
      url.port = String(link.port);
      env['DATABASE_URL'] = url.href;
    }
    program = await place.start({
      command: 'server',
      env: { ...env, SPANDREL_ACCESS_LOG: 'true', ...(database === 'Postgres' && { SPANDREL_AUDIT_LOG: 'stdout' }) },
    });
  });
  afterAll(async () => {
    await place?.close();
    link?.close();
  });

  /** Samples of the gauges that are read from the database, by name. */
  const sourceGauges = async (): Promise<string[]> => {
    const answer = await fetch(`${program.apiUrl}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    const names = [...(await answer.text()).matchAll(/^(spandrel_\w+)(?:\{.*\})? -?[\d.e+]+$/gm)].map(
      ([, name]) => name!,
    );
    const all = [...SOURCES, ...OF_SQLITE, ...OF_CLOUD];
    return all.filter((name) => names.includes(name));
  };

  const status = async (path: string): Promise<number> =>
    (await fetch(program.apiUrl + path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).status;

  it('/readyz is 200, and its trial of the database leaves no file behind, and no line in the log', async () => {
    const before = readdirSync(place.dataDir);
    const outcomes = new Set<number>();
    // The outcome of a trial is good for a second, in which its line would be written too.
    const began = performance.now();
    await until(async () => {
      for (const path of PROBES) outcomes.add(await status(path));
      return performance.now() - began > 2_200;
    });
    expect([...outcomes]).toEqual([200]);
    expect(readdirSync(place.dataDir)).toEqual(before);
    expect(program.output()).not.toContain('"msg":"request"');
  });

  it('/metrics shows what is read from the database', async () => {
    expect(await sourceGauges()).toEqual(
      database === 'SQLite' ? [...SOURCES, ...OF_SQLITE] : [...SOURCES, ...OF_CLOUD],
    );
  });

  // SQLite is no server that could go away; a disk that takes no writes is the matter of disk-full.e2e-spec.ts.
  if (database === 'SQLite') return;

  it('/readyz is 503 while the database is away, and 200 when it is back; /livez, /metrics and /api/health go on', async () => {
    link!.cut();
    await until(async () => (await status('/readyz')) === 503);
    for (const path of ['/livez', '/metrics', '/api/health']) expect([path, await status(path)]).toEqual([path, 200]);
    await Promise.all(Array.from({ length: 50 }, async () => expect(await status('/readyz')).toBe(503)));
    link!.mend();
    await until(async () => (await status('/readyz')) === 200, 15_000);
  });

  it('/metrics leaves out what cannot be read while the database is away or hangs, and does not wait for it', async () => {
    await until(async () => (await sourceGauges()).length > 0);
    link!.cut();
    await until(async () => (await sourceGauges()).length === 0);
    link!.mend();
    await until(async () => (await sourceGauges()).length === SOURCES.length + OF_CLOUD.length, 15_000);
    link!.stall();
    await until(async () => (await sourceGauges()).length === 0);
    let isAnswered = false;
    const request = fetch(`${program.apiUrl}/api/traces`, { headers: place.headers }).finally(
      () => (isAnswered = true),
    );
    expect(await sourceGauges()).toEqual([]);
    expect(isAnswered).toBe(false);
    link!.mend();
    await request.then((answer) => answer.arrayBuffer());
    await until(async () => (await sourceGauges()).length === SOURCES.length + OF_CLOUD.length, 15_000);
  });

  it('/readyz is 503 when the database only reads', async () => {
    await place.rows(
      `do $$ begin
         execute format('alter database %I set default_transaction_read_only = on', current_database());
       end $$`,
    );
    link!.cut();
    link!.mend();
    await until(async () => (await status('/readyz')) === 503);
    expect(await status('/livez')).toBe(200);
  });
});
