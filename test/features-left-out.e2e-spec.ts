/** Servers without some features: they start, say so, record, and show the dashboard (docs/operations.md). */
import { describe, expect, it } from '@jest/globals';
import type { CapabilitiesResource, IngestResult } from '@spandrel/contract';
import { FEATURES } from '../libs/server/src/features.ts';
import { describeOnBothDatabases } from './support/databases.ts';
import { startServerApp } from './support/server-app.ts';

const ROUTES = {
  scores: ['/api/scores', '/api/score-definitions', '/api/analytics/scores', '/api/analytics/quality'],
  'online-scoring': ['/api/scoring-rules'],
  alerts: ['/api/alerts', '/api/alert-channels'],
  replay: ['/api/replays'],
} as const;
type Left = keyof typeof ROUTES;

/** Features that need one of some, and these. */
function dependentsOf(names: readonly string[]): Set<string> {
  const left = new Set(names);
  for (let size = 0; size < left.size;) {
    size = left.size;
    for (const { name, requires } of FEATURES) if (requires.some((needed) => left.has(needed))) left.add(name);
  }
  return left;
}

describeOnBothDatabases('a server', ({ newDatabase }) => {
  describe.each<{ left: Left[] }>([
    { left: ['online-scoring'] },
    { left: ['alerts'] },
    { left: ['scores'] },
    { left: ['scores', 'online-scoring', 'alerts'] },
  ])('without $left', ({ left }) => {
    it('starts, records, says what it has not, and shows the dashboard', async () => {
      const gone = dependentsOf(left);
      const modes = (name: string): boolean => !['access', 'audit', 'sharing'].includes(name);
      const features = FEATURES.map(({ name }) => name).filter((name) => !gone.has(name) && modes(name));
      const server = await startServerApp(await newDatabase('left_out'), {
        settings: (settings) => void (settings.core.features = features),
      });
      try {
        const { body: said } = await server.api.get<CapabilitiesResource>('/api/capabilities');
        expect(said.features.toSorted()).toEqual(features.toSorted());
        for (const [name, paths] of Object.entries(ROUTES)) {
          for (const path of paths) {
            const { status, body } = await server.api.get<{ code?: string; detail?: string }>(
              name === 'scores' && path.endsWith('quality') ? `${path}?name=x` : path,
            );
            if (gone.has(name)) expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
            else expect([path, status]).toEqual([path, 200]);
          }
        }
        const now = new Date().toISOString();
        const ingested = await server.api.post<IngestResult>('/api/ingest', {
          traces: [{ id: 't', started_at: now }],
          spans: [{ id: 's', trace_id: 't', name: 'call', started_at: now, ended_at: now }],
          scores: [{ id: 'c', name: 'thumb', value: 1, trace_id: 't' }],
        });
        expect(ingested.status).toBe(200);
        expect(ingested.body.rejected.map(({ collection }) => collection)).toEqual(
          gone.has('scores') ? ['scores'] : [],
        );
        for (const path of ['/api/traces?include=scores', '/api/traces/t', '/api/spans?include=scores', '/api/users']) {
          expect([path, (await server.api.get(path)).status]).toEqual([path, 200]);
        }
        const page = await fetch(`${server.url}/traces`, { headers: { accept: 'text/html' } });
        expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
      } finally {
        await server.close();
      }
    });
  });
});
