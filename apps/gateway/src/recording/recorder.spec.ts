import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Endpoint } from '@spandrel/plugin-api';
import type { Logger } from '@spandrel/kernel';
import type { SpoolItem } from '../spool/caller-queue.js';
import { BodyBudget } from './long-body.js';
import { BodyBuffer } from './body-buffer.js';
import { Call } from './call.js';
import { CallReader } from './call-reader.js';
import { Recorder } from './recorder.js';
import { Secrets } from './secrets.js';

const ANNOUNCE_MS = 200;
const KEEP_MS = 20;

const NO_RESPONSES = { find: () => undefined, add: () => undefined, complete: () => false };

let sent: [string, string][];
/** What was kept, each with what is called when the disk has it. */
let kept: { id: string; span: string; onKept?: () => void }[];
let recorder: Recorder;
/** What the endpoint of a call makes of its request. */
let readRequest: Endpoint['readRequest'];

beforeEach(() => {
  jest.useFakeTimers();
  sent = [];
  kept = [];
  readRequest = () => ({ model: null, input: null, streaming: false, parameters: {} });
  recorder = new Recorder(
    {
      add: (item: SpoolItem) => sent.push([item.id, (JSON.parse(item.span) as { status: string }).status]),
      keep: ({ facts: { id } }, { span }, _finished, onKept) => kept.push({ id, span, ...(onKept && { onKept }) }),
      lose: () => undefined,
    },
    {} as Logger,
    { reportRunningMs: ANNOUNCE_MS, keepMs: KEEP_MS, awaitingRulesMax: 10, decodedBytesMax: 1_000 },
    { of: () => ({ kind: 'known', masking: null }), pursue: () => undefined },
    new CallReader(
      { plugins: null, logger: {} as Logger, onMaskerFailed: () => undefined },
      { hereBytesMax: 1_000, readMs: 1_000 },
    ),
    { contentWithheld: () => undefined },
    NO_RESPONSES,
    Date,
  );
});
afterEach(() => void jest.useRealTimers());

/** A call that begins now, its request come whole unless it says otherwise. */
function begun(id: string, requestComplete = true): Call {
  const endpoint = { name: 'chat', framing: 'sse', readRequest: (body) => readRequest(body) } as Endpoint;
  const facts = {
    id,
    traceId: id,
    parentId: null,
    trace: {},
    provider: 'openai',
    wire: { provider: 'openai', method: 'POST', path: '/' },
    startedAt: Date.now(),
    startedTick: performance.now(),
    capture: { mode: 'full' as const },
    requestEncoding: null,
  };
  const body = new BodyBuffer(1_000, new BodyBudget(1_000));
  const call = new Call(facts, { entry: {} as never, endpoint }, body, body, new Secrets([]), null, false);
  if (requestComplete) call.endRequest();
  recorder.begin(call);
  return call;
}

describe('a call', () => {
  it('is reported as running once it has run for a while, then whole', () => {
    const call = begun('a');
    jest.advanceTimersByTime(ANNOUNCE_MS * 1.25);
    expect(sent).toEqual([['a', 'running']]);
    jest.advanceTimersByTime(ANNOUNCE_MS * 10);
    recorder.end(call, { kind: 'answered' });
    jest.advanceTimersByTime(1);
    expect(sent).toEqual([
      ['a', 'running'],
      ['a', 'completed'],
    ]);
  });

  it('is reported once when it is over sooner, whatever else is reported meanwhile', () => {
    begun('long');
    for (let n = 0; n < 10; n++) {
      const call = begun(`short-${n}`);
      jest.advanceTimersByTime(ANNOUNCE_MS * 0.9);
      recorder.end(call, { kind: 'answered' });
    }
    jest.advanceTimersByTime(1);
    expect(sent.filter(([, status]) => status === 'running')).toEqual([['long', 'running']]);
    expect(sent.filter(([, status]) => status === 'completed')).toHaveLength(10);
  });

  it('is kept as running before it is reported, and its answer ends when it is kept whole', () => {
    const call = begun('a');
    jest.advanceTimersByTime(KEEP_MS * 2 + 1);
    expect([sent, kept.map(({ id, span }) => [id, JSON.parse(span).status])]).toEqual([[], [['a', 'running']]]);
    recorder.end(call, { kind: 'answered' });
    let ended = 0;
    call.afterPersisted(() => ended++);
    jest.advanceTimersByTime(1);
    expect([ended, sent]).toEqual([0, [['a', 'completed']]]);
    kept[1]!.onKept!();
    expect([ended, JSON.parse(kept[1]!.span).status]).toEqual([1, 'completed']);
  });

  it('that waits for the rules of its project is kept without what was said, and its answer ends', () => {
    const unknown = { of: () => ({ kind: 'unknown' as const }), pursue: () => undefined };
    Object.assign(recorder, { rules: unknown });
    const call = begun('a');
    call.requestChunk(Buffer.from('{"secret":"words"}'));
    recorder.end(call, { kind: 'answered' });
    jest.advanceTimersByTime(1);
    expect(sent).toEqual([]);
    expect(kept).toHaveLength(1);
    expect(kept[0]!.span).not.toContain('words');
    let ended = 0;
    call.afterPersisted(() => ended++);
    kept[0]!.onKept!();
    expect(ended).toBe(1);
  });

  it('is not reported before its request has come whole', () => {
    const call = begun('a', false);
    jest.advanceTimersByTime(ANNOUNCE_MS * 5);
    expect(sent).toEqual([]);
    call.endRequest();
    jest.advanceTimersByTime(ANNOUNCE_MS / 4);
    expect(sent).toEqual([['a', 'running']]);
  });
});

describe('calls that are to be read', () => {
  it('leave others their turn, those too that are reported or whose rules become known at the same moment', async () => {
    jest.useRealTimers();
    let turn = 0;
    let isCounting = true;
    const count = (): void => {
      turn++;
      if (isCounting) setImmediate(count);
    };
    count();
    const turns: number[] = [];
    let isKnown = false;
    readRequest = () => {
      turns.push(turn);
      for (const end = performance.now() + 3; performance.now() < end;);
      return { model: null, input: null, streaming: false, parameters: {} };
    };
    const reader = {
      isLong: () => false,
      readAside: () => Promise.reject(new Error('not long')),
      readUnread: () => ({ trace: '', span: '' }),
      close: () => Promise.resolve(),
    };
    const options = { reportRunningMs: 10, keepMs: 10, awaitingRulesMax: 100, decodedBytesMax: 1_000 };
    const rules = { of: () => (isKnown ? KNOWN : { kind: 'unknown' as const }), pursue: () => undefined };
    recorder = new Recorder(
      { add: () => undefined, keep: () => undefined, lose: () => undefined },
      {} as Logger,
      options,
      rules,
      reader,
      { contentWithheld: () => undefined },
      NO_RESPONSES,
      Date,
    );
    const calls = Array.from({ length: 8 }, (_, n) => begun(`call-${n}`, false));
    for (const call of calls) {
      call.requestChunk(Buffer.from('{}'));
      call.endRequest();
    }
    // Without a spool directory what waits is read once.
    for (const call of calls) call.persisted();
    isKnown = true;
    await until(() => turns.length === 8);
    expect(new Set(turns).size).toBe(8);
    isKnown = false;
    for (const call of calls) recorder.end(call, { kind: 'answered' });
    await until(() => turn > turns.at(-1)! + 20);
    isKnown = true;
    recorder.lookAgain();
    await until(() => turns.length === 16);
    expect(new Set(turns).size).toBe(16);
    isCounting = false;
  });
});

const KNOWN = { kind: 'known' as const, masking: null };

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
