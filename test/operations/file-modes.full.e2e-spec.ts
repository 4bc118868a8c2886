/** What Spandrel keeps on disk is for the user that it runs as, whatever the umask and the modes that were there before. */
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startFakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { runSpandrel, startSpandrel, tempDir, until } from '../support/spandrel.ts';

/** The modes of a folder and of everything below it, by path; those that are as they should be are left out. */
function openIn(folder: string): Record<string, string> {
  const below = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const open: Record<string, string> = {};
  for (const path of [folder, ...below]) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) continue;
    const mode = (found.mode & 0o7777).toString(8);
    if (mode !== (found.isDirectory() ? '700' : '600')) open[path.slice(folder.length)] = mode;
  }
  return open;
}

/** Opens a folder and everything below it to all users. */
function openAll(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o777 : 0o666);
  }
  chmodSync(folder, 0o777);
}

async function underUmask<T>(umask: number, work: () => Promise<T>): Promise<T> {
  const before = process.umask(umask);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}

/** What is closed under the first is closed under each: a umask takes modes away, and gives none. */
const UMASKS = THOROUGH ? [0o000, 0o022, 0o077] : [0o000];

describe.each(UMASKS)('under the umask %i', (umask) => {
  it('directories are 0700, files 0600: databases, keys, spool, uploads and backups; open ones are closed at the start', async () => {
    const provider = await startFakeProvider();
    const folder = tempDir();
    const [dataDir, spool] = [join(folder, 'deep', 'data'), join(folder, 'spool')];
    const env = { SPANDREL_SPOOL_DIR: spool, SPANDREL_OPENAI_BASE_URL: provider.url };
    const start = () => underUmask(umask, () => startSpandrel({ dataDir, env }));
    try {
      let program = await start();
      const api = new Api(program.apiUrl);
      await api.post('/api/provider-connections', { name: 'c', provider: 'openai', api_key: 'sk-0123456789abcdef' });
      const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'd' });
      const rows = new FormData();
      rows.append('file', new Blob(['input\nx\n']), 'rows.csv');
      await fetch(`${program.apiUrl}/api/datasets/${dataset.id}/import`, { method: 'POST', body: rows });
      await fetch(`${program.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
      }).then((answer) => answer.arrayBuffer());
      await until(async () => (await api.spans()).length === 1);
      const names = readdirSync(dataDir);
      for (const name of [
        'spandrel.db',
        'spandrel.db-wal',
        'spandrel.db-shm',
        'spandrel.lock',
        'secret.key',
        'uploads',
      ]) {
        expect([name, names.includes(name)]).toEqual([name, true]);
      }
      expect(readdirSync(spool).length).toBeGreaterThan(0);
      expect([openIn(dataDir), openIn(spool)]).toEqual([{}, {}]);
      expect(program.output()).not.toContain('other users of this machine');

      const backup = join(folder, 'backup.db');
      const made = await underUmask(umask, () => runSpandrel(['backup', backup, '--with-key', '--data-dir', dataDir]));
      expect([made.code, openIn(folder)['/backup.db'], openIn(folder)['/backup.db.key']]).toEqual([
        0,
        undefined,
        undefined,
      ]);
      expect([existsSync(backup), existsSync(`${backup}.key`)]).toEqual([true, true]);

      // A process that is killed leaves its write-ahead log and journal.
      await program.stop('SIGKILL');
      writeFileSync(join(spool, 'left.journal'), 'damaged');
      for (const each of [dataDir, spool]) openAll(each);
      program = await start();
      expect([openIn(dataDir), openIn(spool)]).toEqual([{}, {}]);
      expect(program.output()).toContain('its mode is now 0700');
      expect(program.output()).toContain('their modes are closed to them now');
      expect(await program.stop()).toBe(0);
    } finally {
      await provider.close();
    }
  });
});
