import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Api } from '../support/api.ts';
import { TrafficCheck, type Exchange } from '../support/traffic-check.ts';
import type { Described } from './described.ts';

/** A trace as it is answered. */
const TRACE = {
  id: 't1',
  name: null,
  tags: ['a'],
  session_id: null,
  user_id: null,
  metadata: { any: { thing: [1] } },
  started_at: '2026-11-20T09:00:00.000Z',
  ended_at: null,
};

const PROBLEM = {
  type: 'about:blank',
  title: 'The trace does not exist',
  status: 404,
  detail: 'there is no such trace',
  code: 'trace_not_found',
  request_id: 'r1',
};

interface Change extends Partial<Omit<Exchange, 'headers' | 'text' | 'requestBody'>> {
  answer?: unknown;
  sent?: unknown;
  contentType?: string;
  requestId?: string | null;
}

/** A create of a trace, but for what is changed. */
function exchange({ answer = TRACE, sent = {}, contentType, requestId = 'r1', ...others }: Change): Exchange {
  const status = others.status ?? 201;
  const headers: Record<string, string | null> = {
    'content-type': contentType ?? (status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json'),
    'x-request-id': requestId,
    'cross-origin-resource-policy': 'same-origin',
  };
  return {
    method: 'POST',
    path: '/api/traces',
    status,
    ...others,
    requestBody: JSON.stringify(sent),
    headers: { get: (name) => headers[name] ?? null },
    text: typeof answer === 'string' ? answer : JSON.stringify(answer),
  };
}

const GET = { method: 'GET', path: '/api/traces/t1' };
const LIST = { method: 'GET', status: 200, answer: { traces: [], count: 0, next_cursor: null } };
const withoutTags = Object.fromEntries(Object.entries(TRACE).filter(([name]) => name !== 'tags'));

/** The tests of what holds all traffic of the tests against the document of a server. */
export function describeDrift(described: () => Described): void {
  let check: TrafficCheck;
  beforeAll(() => {
    check = new TrafficCheck(described().document);
  });

  describe('the comparison of traffic with the document', () => {
    it.each<[string, Change]>([
      ['a create', {}],
      ['a create with members of other versions', { sent: { name: 'x', later: 1 } }],
      ['a problem', { ...GET, status: 404, answer: PROBLEM }],
      ['a list', { ...LIST, path: '/api/traces?limit=10&tag=a&tag=b&status=failed&since=2026-11-20' }],
      ['a path that is nobody’s', { ...GET, path: '/api/x', status: 404, answer: { ...PROBLEM, code: 'not_found' } }],
    ])('passes %s', (_what, change) => {
      expect(() => check.check(exchange(change))).not.toThrow();
    });

    it.each<[string, Change, RegExp]>([
      ['a member more', { answer: { ...TRACE, extra: 1 } }, /additional propert.*extra/],
      ['a member more in a list', { ...LIST, path: '/api/traces', answer: { ...LIST.answer, total: 1 } }, /total/],
      ['a member less', { answer: withoutTags }, /tags/],
      ['another type', { answer: { ...TRACE, tags: 'a' } }, /\/tags must be array/],
      ['null where there is none', { answer: { ...TRACE, tags: null } }, /\/tags must be array/],
      ['a time in another form', { answer: { ...TRACE, started_at: '20.11.2026' } }, /date-time/],
      ['an answer that is no JSON', { answer: '<html>' }, /the value must be object/],
      ['another media type', { contentType: 'text/html' }, /no "text\/html" for 201/],
      ['another status', { status: 200 }, /createTrace documents no 200/],
      [
        'a code that the operation does not have',
        { ...GET, status: 404, answer: { ...PROBLEM, code: 'span_not_found' } },
        /code must be equal to one of/,
      ],
      [
        'an error in another form',
        { ...GET, status: 404, answer: { error: 'x' }, contentType: 'application/json' },
        /documents no "application\/json"/,
      ],
      ['a problem of another request', { ...GET, status: 404, answer: { ...PROBLEM, request_id: 'r2' } }, /request_id/],
      ['a problem with a member more', { ...GET, status: 404, answer: { ...PROBLEM, stack: 'at' } }, /stack/],
      ['no X-Request-Id', { requestId: null }, /X-Request-Id/],
      ['a route nobody documented', { ...GET, path: '/api/x', status: 200 }, /no such operation/],
      ['a method nobody documented', { method: 'PUT', path: '/api/traces', status: 200 }, /no such operation/],
      ['a body that should be refused', { sent: { tags: 'a' } }, /the body was taken.*\/tags/],
      ['a parameter nobody documented', { ...LIST, path: '/api/traces?nmae=x' }, /"nmae" is not documented/],
      ['a parameter that should be refused', { ...LIST, path: '/api/traces?limit=0' }, /"limit".*>= 1/],
    ])('refuses %s', (_what, change, message) => {
      expect(() => check.check(exchange(change))).toThrow(message);
    });

    it('is part of the client that the tests use', async () => {
      await withServer({ '/api/openapi.json': described().document }, async (api) => {
        expect((await api.get('/api/traces')).status).toBe(200);
        await expect(api.get('/api/traces?nmae=x')).rejects.toThrow(/GET \/api\/traces\?nmae=x → 200: .*"nmae"/);
      });
    });

    it('goes by what a server itself says where that is not what others of its mode say', async () => {
      const { document } = described();
      const own = { ...document, paths: { ...document.paths, '/api/own': document.paths['/api/traces'] } };
      await withServer({ '/api/openapi.json': own, '/api/health': { mode: 'local' } }, async (api) => {
        expect((await api.get('/api/traces')).status).toBe(200);
        expect((await api.get('/api/own')).status).toBe(200);
        await expect(api.get('/api/none')).rejects.toThrow(/no such operation/);
      });
    });
  });
}

/** Lets a client call a server that answers anything else than `answers` with an empty list. */
async function withServer(answers: Record<string, unknown>, use: (api: Api) => Promise<void>): Promise<void> {
  const server = createServer((request, answer) => {
    const body = answers[request.url!] ?? LIST.answer;
    const headers = { 'x-request-id': 'r1', 'cross-origin-resource-policy': 'same-origin' };
    answer.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    await use(new Api(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  } finally {
    server.close();
  }
}
