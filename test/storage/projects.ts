import { describe, expect, it } from '@jest/globals';
import type { TracingApp } from './tracing-app.js';

export function projects(app: () => TracingApp): void {
  describe('projects', () => {
    const LISTS = [
      '/api/traces',
      '/api/traces?tag=t',
      '/api/traces?session_id=s',
      '/api/spans',
      '/api/spans?tag=t',
      '/api/spans?session_id=s&text_contains=secret',
      '/api/spans?model=m&sort_by=cost',
      '/api/sessions',
    ];

    it('do not see each other, with the same ids too', async () => {
      const trace = { id: 'same', tags: ['t'], session_id: 's', started_at: '2026-01-01T00:00:00Z' };
      for (const project of ['p1', 'p2']) {
        await app().call('POST', '/api/traces', { ...trace, name: project }, project);
        const kind = { type: 'llm_call', model: 'm', cost: 1 };
        const span = { id: 'same', trace_id: 'same', name: project, kind, input: `secret of ${project}` };
        expect((await app().call('POST', '/api/spans', span, project)).status).toBe(201);
      }
      for (const url of LISTS) {
        expect([url, (await app().call('GET', url, undefined, 'p3')).body.count]).toEqual([url, 0]);
        const { body, text } = await app().call('GET', url, undefined, 'p1');
        expect([url, body.count]).toEqual([url, 1]);
        expect(text).not.toContain('p2');
      }
      for (const [method, url, body] of [
        ['GET', '/api/traces/same'],
        ['GET', '/api/spans/same'],
        ['PATCH', '/api/traces/same', { name: 'stolen' }],
        ['POST', '/api/spans/same/complete', {}],
        ['POST', '/api/spans/same/fail', { error: 'e' }],
        ['POST', '/api/spans', { trace_id: 'same', name: 's' }],
        ['DELETE', '/api/spans/same'],
        ['DELETE', '/api/traces/same'],
        ['GET', '/api/sessions/s'],
      ] as const) {
        expect((await app().call(method, url, body, 'p3')).status).toBe(404);
      }
      await app().call('DELETE', '/api/traces', undefined, 'p3');
      await app().call('DELETE', '/api/traces', undefined, 'p2');
      expect((await app().call('GET', '/api/traces/same', undefined, 'p2')).status).toBe(404);
      expect((await app().call('GET', '/api/traces/same', undefined, 'p1')).body).toMatchObject({
        trace: { name: 'p1', span_count: 1 },
        spans: [{ name: 'p1', input: 'secret of p1', status: 'running' }],
      });
    });
  });
}
