import { describe, expect, it } from '@jest/globals';
import { postBatch, type Answer } from './post-batch.js';
import { systemTimers } from './timers.js';

/** How the answer to a batch of one trace and two spans is taken. */
async function taken(answer: Response | (() => Promise<Response>)): Promise<Answer & { init: RequestInit }> {
  let init: RequestInit = {};
  const settings = {
    url: 'http://api.test/api/ingest',
    headers: { authorization: 'Bearer key' },
    fetch: async (_url: unknown, given?: RequestInit) => {
      init = given ?? {};
      return answer instanceof Response ? answer : answer();
    },
    timers: systemTimers,
  };
  const sent = { traces: 1, spans: 2, scores: 0, body: new Uint8Array([123, 125]) };
  return { ...(await postBatch(settings, sent, 60_000, new AbortController())), init };
}

const result = (accepted: unknown, rejected: unknown): Response => Response.json({ accepted, rejected });
const rejection = { index: 1, collection: 'spans', code: 'validation_failed', message: 'no' };

describe('postBatch', () => {
  it('takes an answer that accounts for all that was sent', async () => {
    expect(await taken(result({ traces: 1, spans: 2 }, []))).toMatchObject({ kind: 'taken', rejected: [] });
    expect(await taken(result({ traces: 1, spans: 1 }, [rejection]))).toMatchObject({ rejected: [rejection] });
  });

  it.each<[string, () => Response]>([
    ['a page', () => new Response('<html></html>')],
    ['nothing', () => new Response(null)],
    ['no content', () => new Response(null, { status: 204 })],
    ['other JSON', () => Response.json(['ok'])],
    ['null', () => Response.json(null)],
    ['fewer than were sent', () => result({ traces: 1, spans: 1 }, [])],
    ['more than were sent', () => result({ traces: 1, spans: 3 }, [])],
    ['an item that was not sent', () => result({ traces: 1, spans: 1 }, [{ ...rejection, index: 2 }])],
    ['a rejection that names no item', () => result({ traces: 1, spans: 1 }, [{ code: 'x' }])],
    ['more than it reads', () => new Response('x'.repeat(5_000_000))],
  ])('does not take a 200 with %s for an acknowledgement', async (_what, answer) => {
    expect(await taken(answer())).toMatchObject({
      kind: 'failed',
      error: 'the answer is not that of a Spandrel API',
    });
  });

  it.each([
    [400, 'refused'],
    [413, 'refused'],
    [422, 'refused'],
    [401, 'denied'],
    [403, 'denied'],
    [404, 'denied'],
    [405, 'denied'],
    [408, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [502, 'failed'],
    [503, 'failed'],
  ])('takes HTTP %d for %s, with the code of the problem', async (status, kind) => {
    const answer = Response.json({ code: 'some_code', detail: 'Some detail.' }, { status });
    expect(await taken(answer)).toMatchObject({ kind, error: `HTTP ${status}, some_code: Some detail.` });
  });

  it('does not follow a redirect, which would carry the key elsewhere', async () => {
    const answer = await taken(new Response(null, { status: 307, headers: { location: 'https://other.test' } }));
    expect(answer).toMatchObject({ kind: 'denied', error: 'HTTP 307' });
    expect(answer.init.redirect).toBe('manual');
  });

  it('says why a connection failed', async () => {
    const failing = (cause: unknown) => taken(() => Promise.reject(new TypeError('fetch failed', { cause })));
    const errors = await Promise.all([
      failing(Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })),
      failing(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })),
      failing(Object.assign(new Error(''), { code: 'ECONNREFUSED' })),
      failing(undefined),
    ]);
    expect(errors.map((answer) => 'error' in answer && answer.error)).toEqual([
      'connect ECONNREFUSED 127.0.0.1:1',
      'other side closed (UND_ERR_SOCKET)',
      'ECONNREFUSED',
      'fetch failed',
    ]);
  });

  it('calls fetch as a function, as workers want it', async () => {
    const calledOn: unknown[] = [];
    const settings = {
      url: 'http://api.test/api/ingest',
      headers: {},
      fetch: async function (this: unknown) {
        calledOn.push(this);
        return new Response();
      },
      timers: systemTimers,
    };
    await postBatch(
      settings,
      { traces: 0, spans: 0, scores: 0, body: new Uint8Array() },
      60_000,
      new AbortController(),
    );
    expect(calledOn).toEqual([undefined]);
  });

  it('takes an answer that breaks off for a failure', async () => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"accepted":'));
        controller.error(new TypeError('terminated'));
      },
    });
    expect(await taken(new Response(broken))).toMatchObject({ kind: 'failed', error: 'terminated' });
  });
});
