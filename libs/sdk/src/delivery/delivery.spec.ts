import { describe, expect, it } from '@jest/globals';
import type { DeliverySettings } from './delivery-settings.js';
import { Delivery } from './delivery.js';
import { FakeIngest } from '../../../../test/sdk/support/fake-ingest.js';
import { TestSpan, TestTrace } from '../../../../test/sdk/support/outgoing-things.js';
import { VirtualTimers } from '../../../../test/sdk/support/virtual-timers.js';

function lab(settings: Partial<DeliverySettings> = {}) {
  const timers = new VirtualTimers();
  const api = new FakeIngest();
  const reported: string[] = [];
  const delivery = new Delivery({
    apiUrl: 'http://api.test/',
    queueBytes: 1_000_000,
    fetch: api.fetch,
    timers,
    random: () => 1,
    onReport: (sentence) => reported.push(sentence),
    ...settings,
  });
  const trace = new TestTrace('t');
  const record = (count: number, text = '', from = 0): void => {
    for (let n = from; n < from + count; n++) delivery.ended(new TestSpan(`s${n}`, trace, text).end());
  };
  return { timers, api, reported, delivery, trace, record };
}

describe('gathering', () => {
  it('sends one batch a second after the first span, with the trace that they need once', async () => {
    const { timers, api, record } = lab();
    record(3);
    await timers.advance(999);
    expect(api.requests).toEqual([]);
    await timers.advance(1);
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]!.traces).toEqual([{ id: 't', name: 'first' }]);
    expect(api.requests[0]!.spans.map(({ id }) => id)).toEqual(['s0', 's1', 's2']);
  });

  it('sends at once what makes 512 items, and the rest a second later', async () => {
    const { timers, api, record } = lab();
    record(1_030);
    await timers.advance(0);
    expect(api.requests.map(({ spans }) => spans.length)).toEqual([512, 512]);
    await timers.advance(1_000);
    expect(api.requests[2]!.spans).toHaveLength(6);
  });

  it('lets the application work between two batches', async () => {
    const timers = new VirtualTimers();
    const api = new FakeIngest();
    let turn = 0;
    const turns: number[] = [];
    const counted = {
      now: () => timers.now(),
      set: (run: () => void, ms: number) => timers.set(() => (turn++, run()), ms),
      clear: (timer: unknown) => timers.clear(timer),
    };
    const noted: typeof fetch = (...request) => {
      turns.push(turn);
      return api.fetch(...request);
    };
    const { record } = lab({ timers: counted, fetch: noted });
    record(3 * 512);
    await timers.advance(0);
    expect(turns).toEqual([1, 2, 3]);
  });

  it('leaves the bodies alone that it has given to the fetch of somebody else', async () => {
    const api = new FakeIngest();
    const given: Uint8Array[] = [];
    const texts: string[] = [];
    const keeping: typeof fetch = (url, init) => {
      const body = init?.body as Uint8Array;
      given.push(body);
      texts.push(new TextDecoder().decode(body));
      return api.fetch(url, init);
    };
    const { timers, record } = lab({ fetch: keeping });
    record(3 * 512);
    await timers.advance(0);
    expect(given).toHaveLength(3);
    expect(given.map((body) => new TextDecoder().decode(body))).toEqual(texts);
  });

  it('sends at once what makes 1 MiB, and no body beyond it', async () => {
    const { timers, api, record } = lab({ queueBytes: 10_000_000 });
    record(30, 'ü'.repeat(50_000));
    await timers.advance(0);
    expect(api.requests.map(({ spans }) => spans.length)).toEqual([10, 10]);
    expect(Math.max(...api.sizes)).toBeLessThanOrEqual(1_048_576);
  });

  it('shows a span that runs once, and sends it again when it ended', async () => {
    const { timers, api, delivery, trace } = lab();
    const span = new TestSpan('s', trace);
    delivery.started(span);
    await timers.advance(1_000);
    delivery.ended(new TestSpan('other', trace).end());
    await timers.advance(1_000);
    delivery.ended(span.end());
    await timers.advance(1_000);
    expect(api.requests.map(({ spans }) => spans.map(({ id, status }) => `${id} ${status}`))).toEqual([
      ['s running'],
      ['other completed'],
      ['s completed'],
    ]);
  });

  it('does not send as running what has ended before the batch goes', async () => {
    const { timers, api, delivery, trace } = lab();
    const span = new TestSpan('s', trace);
    delivery.started(span);
    delivery.ended(span.end());
    await timers.advance(1_000);
    expect(api.requests.map(({ spans }) => spans.map(({ status }) => status))).toEqual([['completed']]);
  });

  it('sends the newest members of a trace', async () => {
    const { timers, api, delivery, trace } = lab();
    delivery.traced(trace);
    trace.name = 'second';
    delivery.traced(trace);
    await timers.advance(1_000);
    expect(api.requests.map(({ traces }) => traces[0]!['name'])).toEqual(['second']);
    expect(await delivery.flush()).toMatchObject({ delivered: 1, pending: 0 });
  });

  it('sends the members of a trace that was opened and joined in one process, no matter who comes first', async () => {
    const { timers, api, delivery, trace } = lab();
    const joined = { id: 't', json: () => '{"id":"t","user_id":"u"}' };
    delivery.ended(new TestSpan('s1', joined).end());
    delivery.traced(trace);
    delivery.traced(joined);
    delivery.ended(new TestSpan('s2', trace).end());
    await timers.advance(1_000);
    expect(api.requests).toHaveLength(1);
    expect(api.traces.get('t')).toEqual({ id: 't', name: 'first', user_id: 'u' });
    expect(await delivery.flush()).toMatchObject({ delivered: 4, pending: 0 });
  });

  it('sends a trace again that changed while it was sent', async () => {
    const api = new FakeIngest();
    const changing: typeof fetch = async (...request) => {
      if (trace.name === 'first') {
        trace.name = 'second';
        delivery.traced(trace);
      }
      return api.fetch(...request);
    };
    const { timers, delivery, trace } = lab({ fetch: changing });
    delivery.traced(trace);
    const flushed = delivery.flush();
    await timers.advance(1_000);
    expect(api.requests.map(({ traces }) => traces[0]!['name'])).toEqual(['first', 'second']);
    expect(await flushed).toMatchObject({ delivered: 1, pending: 0 });
  });
});

describe('flush', () => {
  it('says what the server has acknowledged', async () => {
    const { timers, api, delivery, record } = lab();
    api.invalid.add('s1');
    record(3);
    const flushed = delivery.flush();
    await timers.advance(0);
    expect(await flushed).toEqual({
      delivered: 2,
      pending: 0,
      dropped: 0,
      rejected: 1,
      lastError: 'spans validation_failed: no',
    });
  });

  it('resolves at its time with what is pending and why', async () => {
    const { timers, api, delivery, record } = lab();
    api.otherwise = 'refuse connection';
    record(3);
    const flushed = delivery.flush({ timeoutMs: 2_000 });
    await timers.advance(2_000);
    expect(await flushed).toEqual({ delivered: 0, pending: 3, dropped: 0, rejected: 0, lastError: 'ECONNREFUSED' });
    api.otherwise = 'take';
    const again = delivery.flush();
    await timers.advance(1_000);
    expect(await again).toEqual({ delivered: 3, pending: 0, dropped: 0, rejected: 0, lastError: null });
  });

  it('waits for no more than what was recorded before it', async () => {
    const { timers, delivery, record } = lab();
    record(1);
    const flushed = delivery.flush();
    await timers.advance(0);
    record(1, '', 1);
    expect(await flushed).toMatchObject({ delivered: 1 });
  });

  it('resolves at once when nothing waits', async () => {
    expect(await lab().delivery.flush()).toMatchObject({ delivered: 0, pending: 0, lastError: null });
  });

  it('cuts a pause short, but not one that the server asked for', async () => {
    const { timers, api, delivery, record } = lab();
    api.otherwise = 'refuse connection';
    record(1);
    await timers.advance(60_000);
    api.otherwise = { status: 429, retryAfter: '120' };
    void delivery.flush();
    await timers.advance(500);
    const tries = api.requests.length;
    void delivery.flush();
    await timers.advance(119_000);
    expect(api.requests).toHaveLength(tries);
    await timers.advance(1_000);
    expect(api.requests).toHaveLength(tries + 1);
  });

  it('asks once when the key is refused, and waits no longer', async () => {
    const { timers, api, delivery, record } = lab();
    api.otherwise = { status: 401 };
    record(1);
    const flushed = delivery.flush({ timeoutMs: 60_000 });
    await timers.advance(0);
    expect(await flushed).toMatchObject({ pending: 1, lastError: 'HTTP 401, some_code: some detail' });
    expect(await delivery.flush()).toMatchObject({ pending: 1 });
    expect(api.requests).toHaveLength(1);
  });
});

describe('a server that fails', () => {
  it.each([
    ['refuse connection'],
    ['garbage'],
    ['too few accounted for'],
    [{ status: 503 }],
    [{ status: 408 }],
  ] as const)('is asked again after pauses that double from 0.5 s to 30 s: %j', async (behaviour) => {
    const { timers, api, record, reported } = lab();
    api.otherwise = behaviour;
    record(1);
    const at: number[] = [];
    for (let second = 0; second < 400; second++) {
      const before = api.requests.length;
      await timers.advance(500);
      if (api.requests.length > before) at.push(timers.now() / 1_000);
    }
    expect(at.slice(0, 9)).toEqual([1, 1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 62.5, 92.5]);
    expect(reported).toHaveLength(1);
    api.otherwise = 'take';
    await timers.advance(30_000);
    expect([...api.spans.keys()]).toEqual(['s0']);
  });

  it('begins with short pauses again after it has answered, and is reported again', async () => {
    const { timers, api, record, reported } = lab();
    for (const n of [0, 1]) {
      api.otherwise = 'refuse connection';
      record(1, '', n);
      await timers.advance(30_000);
      api.otherwise = 'take';
      await timers.advance(30_000);
    }
    expect(reported).toHaveLength(2);
    const { length } = api.requests;
    api.behaviours = ['refuse connection'];
    record(1, '', 2);
    await timers.advance(1_500);
    expect(api.requests).toHaveLength(length + 2);
  });

  it('spreads the pauses from nothing to all of it', async () => {
    const { timers, api, record } = lab({ random: () => 0.25 });
    api.otherwise = 'refuse connection';
    record(1);
    await timers.advance(1_000 + 125);
    expect(api.requests).toHaveLength(2);
  });

  it('waits as long as Retry-After says', async () => {
    const { timers, api, record } = lab();
    api.behaviours = [{ status: 429, retryAfter: '40' }];
    record(1);
    await timers.advance(1_000 + 39_999);
    expect(api.requests).toHaveLength(1);
    await timers.advance(1);
    expect(api.spans.size).toBe(1);
  });

  it('is given up on for one request after 10 s when it hangs, and has longer the next time', async () => {
    const { timers, api, record } = lab();
    api.otherwise = 'hang';
    record(1);
    await timers.advance(1_000 + 10_000 + 500);
    expect(api.requests).toHaveLength(2);
    await timers.advance(19_000);
    expect(api.requests).toHaveLength(2);
    api.otherwise = 'take';
    await timers.advance(2_000);
    expect(api.spans.size).toBe(1);
  });

  it('is tried each minute when it refuses the key, which is reported once', async () => {
    const { timers, api, record, reported } = lab();
    api.otherwise = { status: 403 };
    record(1);
    await timers.advance(1_000 + 5 * 60_000);
    expect(api.requests).toHaveLength(6);
    expect(reported).toEqual([expect.stringContaining('HTTP 403')]);
    api.otherwise = 'take';
    await timers.advance(60_000);
    expect(api.spans.size).toBe(1);
  });
});

describe('items at fault', () => {
  it('drops of a refused batch the one item at fault, by halves', async () => {
    const { timers, api, delivery, record } = lab();
    api.poison.add('s300');
    record(600);
    const flushed = delivery.flush();
    await timers.advance(10);
    expect(await flushed).toMatchObject({ delivered: 599, rejected: 1, pending: 0 });
    expect(api.spans.size).toBe(599);
    expect(api.requests.length).toBeLessThan(25);
  });

  it('drops what alone is too large, and keeps later batches below what was refused', async () => {
    const { timers, api, delivery, record } = lab({ queueBytes: 10_000_000 });
    api.bodyBytesMax = 300_000;
    record(1, 'x'.repeat(400_000), 0);
    record(300, 'x'.repeat(10_000), 1);
    const flushed = delivery.flush();
    await timers.advance(10);
    expect(await flushed).toMatchObject({ delivered: 300, rejected: 1, pending: 0 });
    const refused = api.sizes.length;
    record(100, 'x'.repeat(10_000), 1_000);
    void delivery.flush();
    await timers.advance(10);
    expect(api.spans.size).toBe(400);
    expect(Math.max(...api.sizes.slice(refused))).toBeLessThanOrEqual(300_000);
  });

  it('sends the spans of a trace whose members are refused with its id alone', async () => {
    const { timers, api, delivery, trace, record } = lab();
    api.invalid.add('t');
    record(2);
    delivery.traced(trace);
    const flushed = delivery.flush();
    await timers.advance(10);
    expect(await flushed).toMatchObject({
      delivered: 2,
      rejected: 1,
      pending: 0,
      lastError: 'traces validation_failed: tags are too long',
    });
    expect(api.traces.get('t')).toEqual({ id: 't' });
    expect(api.spans.size).toBe(2);
    api.invalid.delete('t');
    trace.name = 'better';
    delivery.traced(trace);
    await timers.advance(1_000);
    expect(api.traces.get('t')).toEqual({ id: 't', name: 'better' });
  });

  it('gives up the members of a trace that is too large, not its spans', async () => {
    const { timers, api, delivery, trace, record } = lab();
    api.bodyBytesMax = 1_000;
    trace.name = 'x'.repeat(2_000);
    record(2);
    const flushed = delivery.flush();
    await timers.advance(10);
    expect(await flushed).toMatchObject({ delivered: 2, rejected: 1, pending: 0 });
  });
});

describe('a full queue', () => {
  it('drops the newest, counts it, and reports it at once and then once a minute', async () => {
    const { timers, api, delivery, reported, record } = lab({ queueBytes: 5_000 });
    api.otherwise = 'refuse connection';
    record(10, 'x'.repeat(900));
    expect(reported).toHaveLength(1);
    await timers.advance(59_000);
    record(10, 'x'.repeat(900), 10);
    expect(reported.filter((line) => line.includes('lost'))).toHaveLength(1);
    await timers.advance(1_000);
    expect(reported.filter((line) => line.includes('lost'))).toEqual([
      expect.stringContaining('1 dropped'),
      expect.stringContaining('14 dropped'),
    ]);
    api.otherwise = 'take';
    const flushed = delivery.flush();
    await timers.advance(1_000);
    expect(await flushed).toMatchObject({ delivered: 5, dropped: 15, pending: 0 });
    expect([...api.spans.keys()]).toEqual(['s0', 's1', 's2', 's3', 's4']);
  });

  it('never throws, though the reporter throws', () => {
    const { delivery, trace } = lab({
      queueBytes: 10,
      onReport: () => {
        throw new Error('no');
      },
    });
    expect(() => delivery.ended(new TestSpan('s', trace).end())).not.toThrow();
    expect(() => delivery.traced(trace)).not.toThrow();
  });
});

describe('functions that freeze', () => {
  it('sends at once what ends, without a timer, when immediate', async () => {
    const { timers, api, record } = lab({ immediate: true });
    record(1);
    timers.lose();
    await timers.advance(0);
    expect(api.spans.size).toBe(1);
  });

  it('gives waitUntil a promise that resolves once all is delivered', async () => {
    const kept: Promise<void>[] = [];
    const { timers, api, record } = lab({ waitUntil: (settled) => void kept.push(settled) });
    api.behaviours = ['refuse connection'];
    record(2);
    await timers.advance(1_000);
    await Promise.all(kept);
    expect(kept).toHaveLength(1);
    expect(api.spans.size).toBe(2);
    record(1, '', 2);
    expect(kept).toHaveLength(2);
  });

  it('goes on after timers or an answer were lost', async () => {
    const { timers, api, record } = lab();
    record(1);
    timers.lose();
    await timers.advance(3_000);
    record(1, '', 1);
    api.behaviours = ['hang'];
    await timers.advance(0);
    expect(api.requests).toHaveLength(1);
    timers.lose();
    await timers.advance(12_000);
    record(1, '', 2);
    await timers.advance(1_000);
    expect(api.spans.size).toBe(3);
  });
});

describe('an answer that comes after another request was made', () => {
  it('has no say any more', async () => {
    const api = new FakeIngest();
    let late = (): void => undefined;
    const slow: typeof fetch = async (...request) => {
      const answer = await api.fetch(...request);
      if (api.requests.length === 1) await new Promise<void>((done) => (late = done));
      return answer;
    };
    const { timers, delivery, record } = lab({ fetch: slow });
    record(2);
    await timers.advance(1_000);
    timers.lose();
    await timers.advance(12_000);
    record(1, '', 2);
    await timers.advance(1_000);
    expect(await delivery.flush()).toMatchObject({ delivered: 3, pending: 0 });
    api.otherwise = 'refuse connection';
    record(2, '', 3);
    late();
    await timers.advance(0);
    const flushed = delivery.flush({ timeoutMs: 100 });
    await timers.advance(100);
    expect(await flushed).toMatchObject({ delivered: 3, pending: 2 });
  });
});

describe('the end of the process', () => {
  it('is held up once: what was not delivered is not tried again until something is recorded', async () => {
    const { timers, api, delivery, record } = lab({ random: () => 0 });
    api.otherwise = 'hang';
    record(1);
    const finished = delivery.finish();
    await timers.advance(5_000);
    await finished;
    await timers.advance(600_000);
    expect(api.requests).toHaveLength(1);
    api.otherwise = 'take';
    record(1, '', 1);
    await timers.advance(1_000);
    expect([api.requests.length, api.spans.size]).toEqual([2, 2]);
  });
});

describe('shutdown', () => {
  it('flushes, leaves no timer and counts what comes later as dropped', async () => {
    const { timers, api, delivery, record } = lab();
    record(2);
    const ended = delivery.shutdown();
    await timers.advance(0);
    expect(await ended).toMatchObject({ delivered: 2 });
    expect(timers.size).toBe(0);
    record(1);
    await timers.advance(60_000);
    expect(api.requests).toHaveLength(1);
    expect(await delivery.flush()).toMatchObject({ dropped: 1, pending: 0 });
  });
});
