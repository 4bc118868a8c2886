/** `spandrel backup` of a server under write load, and what is restored from it. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { recount } from '../support/recount.ts';
import { runSpandrel, startSpandrel, tempDir, until } from '../support/spandrel.ts';

const WRITERS = 6;
/** Enough that a copy takes many turns, with writes between them. */
const BALLAST = 'x'.repeat(200_000);

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function start(dataDir: string, env: Record<string, string> = {}) {
  const server = await startSpandrel({ command: 'server', dataDir, env });
  cleanUps.push(() => server.stop('SIGKILL'));
  return { server, api: new Api(server.apiUrl) };
}

interface Told {
  type: string;
  span?: { id: string };
}

/** Ids of the spans that the event log tells of, in the order of its numbers; and whether a number is missing. */
function toldOf(dataDir: string): { spans: Set<string>; gaps: number } {
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    const rows = db
      .prepare('select first_seq as first, last_seq as last, lines from event_log order by last_seq')
      .all() as { first: number; last: number; lines: string }[];
    const events = rows.flatMap(({ lines }) => lines.split('\n').map((line) => JSON.parse(line) as Told));
    return {
      spans: new Set(events.flatMap(({ type, span }) => (type === 'span_created' ? [span!.id] : []))),
      gaps: rows.filter(({ first }, n) => n > 0 && first !== rows[n - 1]!.last + 1).length,
    };
  } finally {
    db.close();
  }
}

describe('spandrel backup', () => {
  it('copies a database that is written to: whole, with everything acknowledged before, and its keys with --with-key', async () => {
    const provider = await startFakeProvider();
    cleanUps.push(() => provider.close());
    const { server, api } = await start(tempDir());
    const connection = (
      await api.post<{ id: string }>('/api/provider-connections', {
        name: 'fake',
        provider: 'openai',
        api_key: 'sk-backup-test-key',
        base_url: provider.url,
        default_model: 'gpt-4o',
      })
    ).body;
    await api.post('/api/traces', { id: 't' });
    const acknowledged = new Set<string>();
    let going = true;
    let serial = 0;
    const writers = Array.from({ length: WRITERS }, async () => {
      while (going) {
        const ids = [`s${serial++}`, `s${serial++}`];
        const spans = ids.map((id) => ({ id, trace_id: 't', name: 'n', status: 'completed', output: BALLAST }));
        const { status } = await api.post('/api/ingest', { spans });
        if (status === 200) for (const id of ids) acknowledged.add(id);
      }
    });
    await until(() => acknowledged.size > 200, 20_000);
    const before = new Set(acknowledged);
    const file = join(tempDir(), 'backup.db');
    const { code, output } = await runSpandrel(['backup', file, '--with-key', '--data-dir', server.dataDir]);
    const during = acknowledged.size - before.size;
    await sleep(100);
    going = false;
    await Promise.all(writers);
    expect([code, output]).toEqual([0, expect.stringContaining(file)]);
    expect(output).not.toContain(readFileSync(join(server.dataDir, 'secret.key'), 'utf8').trim());
    expect(during).toBeGreaterThan(0);
    expect(acknowledged.size).toBeGreaterThan(before.size + during);
    for (const made of [file, `${file}.key`]) expect(statSync(made).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..')).sort()).toEqual(['backup.db', 'backup.db.key']);

    const dataDir = join(tempDir(), 'restored');
    mkdirSync(dataDir);
    copyFileSync(file, join(dataDir, 'spandrel.db'));
    copyFileSync(`${file}.key`, join(dataDir, 'secret.key'));
    const restored = await start(dataDir);
    const kept = recount(dataDir);
    expect(kept).toMatchObject({ integrity: 'ok', wrongRollUps: [], halves: 0 });
    expect([...before].filter((id) => !kept.spans.has(id))).toEqual([]);
    expect(kept.spans.size).toBeLessThan(acknowledged.size);
    const told = toldOf(dataDir);
    expect(told.spans).toEqual(new Set(kept.spans.keys()));
    expect(told.gaps).toBe(0);
    const summary = await restored.api.get<{ total_spans: number; total_traces: number }>('/api/analytics/summary');
    expect(summary.body).toMatchObject({ total_spans: kept.spans.size, total_traces: 1 });
    const tried = await restored.api.post<{ ok: boolean }>(`/api/provider-connections/${connection.id}/test`, {});
    expect(tried.body).toMatchObject({ ok: true });
    expect(provider.requests.at(-1)?.rawHeaders.join('\n')).toContain('sk-backup-test-key');
    expect((await restored.api.post('/api/spans', { trace_id: 't', name: 'after' })).status).toBe(201);
  }, 180_000);

  it('refuses what it would overwrite and what is not there, says so in a line, and leaves nothing behind', async () => {
    const dataDir = tempDir();
    const { server } = await start(dataDir);
    const place = tempDir();
    const taken = join(place, 'taken.db');
    writeFileSync(taken, 'mine');
    const refusals: [args: string[], says: string, env?: Record<string, string>][] = [
      [[taken, '--data-dir', dataDir], 'nothing is overwritten'],
      [[join(place, 'a.db'), '--data-dir', tempDir()], 'there is no database'],
      [[join(place, 'no', 'such', 'a.db'), '--data-dir', dataDir], 'ENOENT'],
      [['--data-dir', dataDir, join(place, 'a.db')], 'name the file first'],
      [[join(place, 'a.db'), '--with-key', '--data-dir', tempDir()], 'there is no database'],
      [
        [join(place, 'a.db'), '--with-key', '--data-dir', dataDir],
        'the key is given by SPANDREL_SECRET_KEY',
        { SPANDREL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
      ],
    ];
    for (const [args, says, env] of refusals) {
      const { code, output } = await runSpandrel(['backup', ...args], env);
      expect([args, code, output]).toEqual([args, 1, expect.stringContaining(says)]);
      expect(output.trim().split('\n').length).toBe(1);
    }
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    expect(readdirSync(place)).toEqual(['taken.db']);
    // A server that has been stopped can be backed up too, without its key file.
    expect(await server.stop()).toBe(0);
    const { code, output } = await runSpandrel(['backup', join(place, 'b.db'), '--data-dir', dataDir]);
    expect([code, output]).toEqual([0, expect.stringContaining('which is not in it')]);
    expect(existsSync(join(place, 'b.db.key'))).toBe(false);
  }, 120_000);
});
