/** `spandrel backup` of a server under write load, and what is restored from it. */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { EventLogRow } from '../../libs/events/src/log/event-log.entity.js';
import { linesOf } from '../../libs/events/src/log/event-batch.js';
import { backup } from '../../apps/cli/src/backup.js';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Place, Program } from '../support/places.ts';
import { recount } from '../support/recount.ts';
import { runCommand } from '../support/run-command.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { runSpandrel, tempDir, until } from '../support/spandrel.ts';
import { cloudEnvironment } from '../support/tenant.ts';
import { SQLITE } from '../support/databases.ts';

const WRITERS = 3;
/** Bodies written before the copy, so that it takes several turns (16 MiB each) with writes between them. */
const BALLAST = Array.from({ length: 3 }, (_body, body) =>
  Array.from({ length: 8 }, (_span, n) => ({ id: `b${body}-${n}`, output: 'x'.repeat(1_000_000) })),
);

/** Ids of the spans that the event log reports, in the order of its numbers; and whether a number is missing. */
async function loggedIn(dataDir: string): Promise<{ spans: Set<string>; gaps: number }> {
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    const rows = db
      .prepare(
        'select first_seq as "firstSeq", last_seq as "lastSeq", lines, packed, sent_length as "sentLength" from event_log order by last_seq',
      )
      .all() as EventLogRow[];
    const lines = (await Promise.all(rows.map(linesOf))).flat();
    const created = /^\{"type":"span_created","span":\{"id":"([^"]+)"/;
    return {
      spans: new Set(lines.flatMap((line) => created.exec(line)?.[1] ?? [])),
      gaps: rows.filter(({ firstSeq }, n) => n > 0 && firstSeq !== rows[n - 1]!.lastSeq + 1).length,
    };
  } finally {
    db.close();
  }
}

describe('spandrel backup', () => {
  let provider: FakeProvider;
  let place: Place;
  /** Within the tests: a program would find the same. */
  let restored: ServerApp | undefined;
  let server: Program;
  beforeAll(async () => {
    provider = await startFakeProvider();
    place = await SQLITE.takePlace();
    server = await place.start({ command: 'server' });
  });
  afterAll(async () => {
    await Promise.all([place?.close(), restored?.close()]);
    await provider.close();
  });

  it('copies a database that is written to: whole, with everything acknowledged before, and its keys with --with-key', async () => {
    const { api } = server;
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
    const ingest = async (spans: readonly { id: string; output: string }[]): Promise<void> => {
      const completed = spans.map((span) => ({ ...span, trace_id: 't', name: 'n', status: 'completed' }));
      const { status } = await api.unchecked.post('/api/ingest', { spans: completed });
      if (status === 200) for (const { id } of spans) acknowledged.add(id);
    };
    for (const spans of BALLAST) await ingest(spans);
    let going = true;
    let serial = 0;
    const writers = Array.from({ length: WRITERS }, async () => {
      while (going) {
        await ingest([`s${serial++}`, `s${serial++}`].map((id) => ({ id, output: id })));
        await sleep(5);
      }
    });
    await until(() => acknowledged.size > 100);
    const before = new Set(acknowledged);
    const file = join(tempDir(), 'backup.db');
    const { code, output } = await place.run('backup', file, '--with-key');
    const during = acknowledged.size - before.size;
    await until(() => acknowledged.size > before.size + during);
    going = false;
    await Promise.all(writers);
    expect([code, output]).toEqual([0, expect.stringContaining(file)]);
    expect(output).not.toContain(readFileSync(join(place.dataDir, 'secret.key'), 'utf8').trim());
    expect(during).toBeGreaterThan(0);
    expect(statSync(file).size).toBeGreaterThan(16 * 1024 * 1024);
    for (const made of [file, `${file}.key`]) expect(statSync(made).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..')).sort()).toEqual(['backup.db', 'backup.db.key']);

    const dataDir = tempDir();
    const database = join(dataDir, 'spandrel.db');
    copyFileSync(file, database);
    copyFileSync(`${file}.key`, join(dataDir, 'secret.key'));
    restored = await startServerApp(
      { dialect: 'sqlite', file: database },
      { settings: ({ core }) => void (core.dataDir = dataDir) },
    );
    const again = restored.api;
    const kept = recount(dataDir);
    expect(kept).toMatchObject({ integrity: 'ok', wrongRollUps: [], halves: 0 });
    expect([...before].filter((id) => !kept.spans.has(id))).toEqual([]);
    expect(kept.spans.size).toBeLessThan(acknowledged.size);
    const logged = await loggedIn(dataDir);
    expect(logged.spans).toEqual(new Set(kept.spans.keys()));
    expect(logged.gaps).toBe(0);
    const summary = await again.get<{ total_spans: number; total_traces: number }>('/api/analytics/summary');
    expect(summary.body).toMatchObject({ total_spans: kept.spans.size, total_traces: 1 });
    const tried = await again.post<{ ok: boolean }>(`/api/provider-connections/${connection.id}/test`, {});
    expect(tried.body).toMatchObject({ ok: true });
    expect(provider.requests.at(-1)?.rawHeaders.join('\n')).toContain('sk-backup-test-key');
    expect((await again.post('/api/spans', { trace_id: 't', name: 'after' })).status).toBe(201);
  });

  it('refuses what it would overwrite and what is not there, says so in a line, and leaves nothing behind', async () => {
    const { dataDir } = place;
    const folder = tempDir();
    const taken = join(folder, 'taken.db');
    writeFileSync(taken, 'mine');
    const refusals: [file: string, withKey: boolean, dataDir: string, says: string, env?: Record<string, string>][] = [
      [taken, false, dataDir, 'nothing is overwritten'],
      [join(folder, 'a.db'), false, tempDir(), 'there is no database'],
      [
        join(folder, 'no', 'a.db'),
        false,
        dataDir,
        `backup: ${join(folder, 'no', 'a.db')} cannot be written: ${join(folder, 'no')} does not exist`,
      ],
      [join(taken, 'a.db'), false, dataDir, `cannot be written: ${taken} is a file, not a directory`],
      [join(folder, 'n'.repeat(250)), false, dataDir, 'has a name that is too long'],
      ['/proc/a.db', false, dataDir, 'cannot be written: /proc is in a place where nobody can make files'],
      ['--data-dir', false, dataDir, 'give the file to write first'],
      [join(folder, 'a.db'), true, tempDir(), 'there is no database'],
      [
        join(folder, 'a.db'),
        true,
        dataDir,
        'the key is set by SPANDREL_SECRET_KEY',
        { SPANDREL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
      ],
    ];
    for (const [file, withKey, of, says, env] of refusals) {
      const { code, output } = await runCommand((args) => backup(file, withKey, args), ['--data-dir', of], env);
      expect([file, code, output]).toEqual([file, 1, expect.stringContaining(says)]);
      expect(output.trim().split('\n').length).toBe(1);
    }
    expect(readFileSync(taken, 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['taken.db']);
    // A server that has been stopped can be backed up too, without its key file.
    expect(await server.stop()).toBe(0);
    const file = join(folder, 'b.db');
    const { code, output } = await runCommand((args) => backup(file, false, args), ['--data-dir', dataDir]);
    expect([code, output]).toEqual([0, expect.stringContaining('which is not in it')]);
    expect(existsSync(`${file}.key`)).toBe(false);
  });
});

/** There is no file to copy: Postgres has its own means. */
describe('spandrel backup, on Postgres', () => {
  it('names the program for it, asks no database, and leaves nothing behind', async () => {
    const folder = tempDir();
    const nowhere = cloudEnvironment('postgres://nobody@127.0.0.1:9/none');
    const { code, output } = await runSpandrel(['backup', join(folder, 'a.db'), '--data-dir', folder], nowhere);
    expect([code, output]).toEqual([1, 'spandrel: mode: cloud mode keeps its data in Postgres; use pg_dump\n']);
    expect(readdirSync(folder)).toEqual([]);
  });
});
