/** The dashboard as a browser gets it, in both modes (docs/spec/dashboard.md). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnBothDatabases } from '../support/databases.ts';
import { serveInProcess, testSettings, type ServerApp } from '../support/server-app.ts';
import { startSpandrel, tempDir } from '../support/spandrel.ts';
import { cloudEnvironment } from '../support/tenant.ts';

describeOnBothDatabases('the dashboard', ({ name, newDatabase }) => {
  let app: ServerApp;

  beforeAll(async () => {
    const database = await newDatabase('dashboard');
    const isCloud = database.dialect === 'postgres';
    app = await serveInProcess(testSettings(isCloud ? cloudEnvironment(database.url) : {}), database);
  });
  afterAll(() => app?.close());

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${app.url}${path}`, { headers });

  it('answers every page without a credential, and scripts that it names', async () => {
    const index = readFileSync('dist/dashboard/index.html', 'utf8');
    for (const path of ['/', '/traces', '/traces/x?span=y', '/sign-in']) {
      const page = await get(path);
      expect([path, page.status, await page.text()]).toEqual([path, 200, index]);
    }
    const scripts = [...index.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
    expect(scripts.some((path) => path.startsWith('/assets/'))).toBe(true);
    for (const path of scripts) {
      const file = await get(path, { 'accept-encoding': 'br' });
      expect([path, file.status]).toEqual([path, 200]);
      const isHashed = path.startsWith('/assets/');
      expect(file.headers.get('cache-control')).toBe(isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      expect(file.headers.get('content-security-policy')).toContain("default-src 'none'");
      const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': file.headers.get('etag')! });
      expect([path, again.status]).toEqual([path, 304]);
    }
  });

  it('answers a wrong address with its page to browsers, and with a problem to programs', async () => {
    const index = readFileSync('dist/dashboard/index.html', 'utf8');
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    for (const path of ['/nope', '/nope/deeper?x=1', '/tracesx']) {
      const page = await get(path, { accept });
      expect([path, page.status, await page.text()]).toEqual([path, 404, index]);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      for (const other of ['application/json', '*/*']) {
        const problem = await get(path, { accept: other });
        expect([path, problem.headers.get('content-type')]).toEqual([path, 'application/problem+json']);
      }
    }
    for (const path of ['/api/none', '/assets/none-00000000.js']) {
      const problem = await get(path, { accept });
      expect([path, problem.headers.get('content-type')]).toEqual([path, 'application/problem+json']);
    }
  });

  it('leaves the API and what is unknown as they are', async () => {
    for (const path of [
      '/assets/none-00000000.js',
      '/api/none',
      '/api/traces/none',
      '/index.html',
      '/dashboard/index.html',
    ]) {
      const answer = await get(path);
      expect([path, answer.headers.get('content-type')]).toEqual([path, 'application/problem+json']);
      expect([path, [401, 404].includes(answer.status)]).toEqual([path, true]);
    }
    const lost = await fetch(`${app.url}/traces`, { method: 'POST', body: '{}' });
    expect([lost.status, await lost.text()]).toEqual([404, expect.stringContaining('/api/traces')]);
  });

  if (name === 'SQLite') {
    it('is not there on a server without the feature', async () => {
      const config = join(tempDir(), 'api-alone.yaml');
      writeFileSync(config, 'features: [events, tracing]\n');
      const program = await startSpandrel({ command: 'server', env: { SPANDREL_CONFIG: config } });
      const answer = await fetch(`${program.apiUrl}/`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
      await program.stop();
    });
  }
});
