import zlib from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { Endpoint, Provider, RecordedAnswer } from '@spandrel/plugin-api';
import { UNKNOWN_USAGE } from '@spandrel/plugin-api';
import type { Masking } from '@spandrel/masking/engine';
import { BodyBuffer, NO_BODY, type BufferedBody } from './body-buffer.js';
import { buildRecording } from './build-recording.js';
import type { AnswerFacts, CallRecord } from './call-facts.js';
import { codingsOf } from './decode-body.js';
import { BodyBudget, JSON_FORM } from './long-body.js';

/** A small wire format: frames `{"text"}`, `{"end":true}`; whole answers `{"text","finish"}`. */
const nothing: RecordedAnswer = {
  model: null,
  text: null,
  finishReason: null,
  toolCalls: [],
  usage: UNKNOWN_USAGE,
  error: null,
};
const endpoint = (framing: Endpoint['framing']): Endpoint => ({
  name: 'small',
  framing,
  readRequest: (body) => {
    const { model, stream, messages, ...parameters } = body as { model: string; stream?: boolean; messages: unknown };
    return { model, input: messages, streaming: stream === true, parameters };
  },
  readAnswer: (body) => {
    const { text, finish, total } = body as { text: string; finish: string; total?: number };
    return { ...nothing, text, finishReason: finish, usage: { ...UNKNOWN_USAGE, outputTokens: total ?? null } };
  },
  readStream: () => {
    let text = '';
    let ended = false;
    let error: string | null = null;
    return {
      push: ({ data }) => {
        const frame = JSON.parse(data) as { text?: string; end?: true; error?: string };
        text += frame.text ?? '';
        ended ||= frame.end === true;
        error ??= frame.error ?? null;
      },
      get started() {
        return text !== '';
      },
      get ended() {
        return ended;
      },
      answer: () => ({ ...nothing, text, error }),
    };
  },
});
const provider = {
  errorMessage: (body: unknown) => (body as { error?: { message?: string } }).error?.message,
} as Provider;

const buffered = (...pieces: Buffer[]): BufferedBody => ({
  pieces: pieces.map((data, at) => ({ data, at: 100 + at })),
  tail: [],
  gap: 'none',
  bytes: pieces.reduce((sum, { length }) => sum + length, 0),
});

/** What is read of an encoded body that comes in such pieces, each at its time. */
function decoded(coding: string, bytesMax: number, ...pieces: Buffer[]): Promise<BufferedBody> {
  const body = new BodyBuffer(bytesMax, new BodyBudget(Infinity));
  body.describe = () => ({ codings: codingsOf(coding), form: JSON_FORM });
  pieces.forEach((data, at) => body.add(data, 100 + at));
  return body.decode(bytesMax);
}
const good: AnswerFacts = {
  status: 200,
  statusMessage: 'OK',
  contentType: 'text/event-stream',
  contentEncoding: null,
  contentLength: null,
};
const request = Buffer.from(
  JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }], top_p: 1 }),
);

function record(over: Partial<CallRecord> & { framing?: Endpoint['framing'] } = {}): CallRecord {
  return {
    facts: {
      id: 'span',
      traceId: 'trace',
      parentId: null,
      trace: {},
      provider: 'acme',
      wire: { provider: 'acme', method: 'POST', path: '/' },
      startedAt: Date.UTC(2026, 10, 20),
      startedTick: 90,
      capture: { mode: 'full' },
      requestEncoding: null,
    },
    wire: { entry: { name: 'acme', provider, base: null }, endpoint: endpoint(over.framing ?? 'sse') },
    request: buffered(request),
    answer: good,
    response: NO_BODY,
    outcome: { kind: 'answered' },
    endedTick: 240,
    ...over,
  };
}

const sse = Buffer.from(
  ['{"text":"Grüße 😀"}', '{"text":", you"}', '{"end":true}']
    .map((data) => `event: x\r\ndata: ${data}\r\n\r\n`)
    .join(''),
);
const ndjson = Buffer.from('{"text":"Grüße 😀"}\n{"text":", you"}\n\n{"end":true}');

describe('a recording', () => {
  it.each([
    ['sse', sse, 'text/event-stream; charset=utf-8'],
    ['ndjson', ndjson, 'application/x-ndjson'],
  ] as const)('is the same however a stream is cut: %s', (framing, stream, contentType) => {
    const answer = { ...good, contentType };
    const whole = buildRecording(record({ framing, answer, response: buffered(stream) }));
    expect(whole.span).toMatchObject({
      status: 'completed',
      output: { text: 'Grüße 😀, you' },
      ended_at: '2026-11-20T00:00:00.150Z',
    });
    for (let at = 0; at <= stream.length; at++) {
      const cut = buildRecording(
        record({ framing, answer, response: buffered(stream.subarray(0, at), stream.subarray(at)) }),
      );
      delete cut.span.metadata['time_to_first_token_ms'];
      expect(cut.span).toEqual({
        ...whole.span,
        metadata: expect.objectContaining({ streaming: true, status_code: 200 }),
      });
    }
    const single = buildRecording(
      record({ framing, answer, response: buffered(...[...stream].map((byte) => Buffer.from([byte]))) }),
    );
    expect(single.span.output).toEqual(whole.span.output);
  });

  it.each(['gzip', 'br', 'zstd', 'deflate', 'gzip, br'])(
    'reads a stream compressed by %s, with the time of its first token',
    async (coding) => {
      const compress: Record<string, (data: Buffer) => Buffer> = {
        gzip: zlib.gzipSync,
        br: zlib.brotliCompressSync,
        zstd: zlib.zstdCompressSync,
        deflate: zlib.deflateSync,
        'gzip, br': (data) => zlib.brotliCompressSync(zlib.gzipSync(data)),
      };
      const bytes = compress[coding]!(sse);
      const pieces = [bytes.subarray(0, 5), bytes.subarray(5, 20), bytes.subarray(20)];
      const response = await decoded(coding, 1_000_000, ...pieces);
      const { span } = buildRecording(record({ response }));
      expect(span.output).toMatchObject({ text: 'Grüße 😀, you' });
      expect(span.metadata['time_to_first_token_ms']).toBe(12);
    },
  );

  it('says when the first token came: with the piece that completes its frame', () => {
    const { span } = buildRecording(
      record({ response: buffered(Buffer.from(': hello\n\n'), sse.subarray(0, 10), sse.subarray(10)) }),
    );
    expect(span.metadata['time_to_first_token_ms']).toBe(12);
  });

  it('does not swell with a bomb', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(50_000_000));
    const body = await decoded('gzip', 100_000, bomb);
    const kept = [...body.pieces, ...body.tail].reduce((sum, { data }) => sum + data.length, 0);
    expect(kept).toBeLessThan(3_000_000);
    expect(buildRecording(record({ response: body })).span.metadata['truncated']).toBe(true);
  });

  it('of a body whose middle was left out finds the end', () => {
    const text = (content: string): Buffer => Buffer.from(JSON.stringify({ text: content, finish: 'stop', total: 7 }));
    const long = text('x'.repeat(1_000));
    const response = {
      pieces: [{ data: long.subarray(0, 500), at: 1 }],
      tail: [{ data: long.subarray(900), at: 2 }],
      gap: 'unknown' as const,
      bytes: long.length,
    };
    const { span } = buildRecording(
      record({
        answer: { ...good, contentType: 'application/json' },
        response,
        request: buffered(Buffer.from('{"model":"m","messages":[]}')),
      }),
    );
    expect(span).toMatchObject({
      status: 'completed',
      kind: { output_tokens: 7 },
      output: { finish_reason: 'stop' },
      metadata: { truncated: true },
    });
  });
});

describe('an answer of several choices with reasoning', () => {
  const choice = (text: string) => ({ text, finishReason: 'stop', toolCalls: [], reasoning: `secret ${text}` });
  const choices = [
    choice('secret A'),
    { ...choice('secret B'), toolCalls: [{ id: 'c', name: 'f', arguments: 'secret' }] },
  ];
  const spoken: Endpoint = { ...endpoint('sse'), readAnswer: () => ({ ...nothing, ...choices[0]!, choices }) };
  const answered = () =>
    record({
      answer: { ...good, contentType: 'application/json' },
      wire: { entry: { name: 'acme', provider, base: null }, endpoint: spoken },
      response: buffered(Buffer.from('{}')),
    });
  const written = (text: string, more = {}) => ({ text, finish_reason: 'stop', reasoning: `secret ${text}`, ...more });

  it('has all of them in its output', () => {
    const calls = [{ id: 'c', name: 'f', arguments: 'secret' }];
    expect(buildRecording(answered()).span.output).toEqual({
      ...written('secret A'),
      choices: [written('secret A'), written('secret B', { tool_calls: calls })],
    });
  });

  it('is masked everywhere', () => {
    const mask = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll('secret', '***')) as Value;
    const masking = { text: mask, json: mask } as unknown as Masking;
    const { output } = buildRecording(answered(), masking).span;
    expect(JSON.stringify(output)).not.toContain('secret');
    expect(JSON.stringify(output).match(/\*{3}/g)).toHaveLength(10);
  });
});

describe('an error in place of a stream', () => {
  it.each([
    ['as plain JSON', '{"text":null,"finish":null,"fault":"no such model"}'],
    ['as a field of the stream', 'error: no such model\n\n'],
  ])('fails the call: %s', (_how, body) => {
    const readStream = () => {
      let error: string | null = null;
      return {
        push: ({ event, data }: { event?: string | undefined; data: string }) => {
          if (event === 'error') error = data;
        },
        started: false,
        ended: false,
        answer: () => ({ ...nothing, error }),
      };
    };
    const readAnswer = (whole: unknown) => ({ ...nothing, error: (whole as { fault: string }).fault });
    const faulty: Endpoint = { ...endpoint('sse'), readStream, readAnswer };
    const { span } = buildRecording(
      record({
        wire: { entry: { name: 'acme', provider, base: null }, endpoint: faulty },
        response: buffered(Buffer.from(body)),
      }),
    );
    expect(span).toMatchObject({ status: { failed: { error: 'no such model' } }, metadata: { streaming: true } });
  });
});

describe('how it ends', () => {
  const start = Buffer.from('data: {"text":"part"}\n\n');
  const failed = (error: string) => ({ failed: { error } });
  const status = (over: Partial<CallRecord>) => buildRecording(record(over)).span.status;

  it.each<[string, Partial<CallRecord>, unknown]>([
    ['answered', { response: buffered(sse) }, 'completed'],
    ['a stream without its end', { response: buffered(start) }, failed('the stream ended without its end mark')],
    ['a stream of nothing', { response: NO_BODY }, failed('the stream ended without its end mark')],
    [
      'a stream of comments',
      { response: buffered(Buffer.from(': ping\n\n')) },
      failed('the stream ended without its end mark'),
    ],
    [
      'a page in place of a stream',
      { answer: { ...good, contentType: 'text/html' }, response: buffered(Buffer.from('<p>Sorry</p>')) },
      failed('the stream ended without its end mark'),
    ],
    [
      'a form of stream that nobody reads here',
      {
        answer: { ...good, contentType: 'application/vnd.amazon.eventstream' },
        response: buffered(Buffer.from('\0\0')),
      },
      'completed',
    ],
    ['a coding that nobody knows', { answer: { ...good, contentEncoding: 'lzma' }, response: NO_BODY }, 'completed'],
    [
      'JSON without its end',
      { answer: { ...good, contentType: 'application/json' }, response: buffered(Buffer.from('{"text":"pa')) },
      failed('the answer ended in the middle of its JSON'),
    ],
    ['client gone', { response: buffered(start), outcome: { kind: 'client-gone' } }, failed('client disconnected')],
    ['client gone after the end mark', { response: buffered(sse), outcome: { kind: 'client-gone' } }, 'completed'],
    [
      'client gone before any answer',
      { answer: null, outcome: { kind: 'client-gone' } },
      failed('client disconnected'),
    ],
    ['cut', { response: buffered(start), outcome: { kind: 'cut', reason: 'closed' } }, failed('closed')],
    ['gateway stopped', { response: buffered(start), outcome: { kind: 'stopped' } }, failed('gateway stopped')],
    [
      'unreachable',
      { answer: null, outcome: { kind: 'unreachable', status: 502, reason: 'no route' } },
      failed('no route'),
    ],
    [
      'an error with a message',
      { answer: { ...good, status: 429 }, response: buffered(Buffer.from('{"error":{"message":"slow down"}}')) },
      failed('HTTP 429: slow down'),
    ],
    [
      'an error without one',
      { answer: { ...good, status: 503, statusMessage: '' }, response: buffered(Buffer.from('<html>')) },
      failed('HTTP 503: Service Unavailable'),
    ],
    [
      'an error inside a stream',
      { response: buffered(Buffer.from('data: {"error":"overloaded"}\n\n')) },
      failed('overloaded'),
    ],
    ['running', { answer: null, outcome: { kind: 'running' } }, 'running'],
  ])('%s', (_name, over, expected) => {
    expect(status(over)).toEqual(expected);
  });

  it('keeps what had arrived', () => {
    const { span } = buildRecording(record({ response: buffered(start), outcome: { kind: 'client-gone' } }));
    expect(span.output).toEqual({ text: 'part', finish_reason: null });
    expect(buildRecording(record({ outcome: { kind: 'client-gone' } })).span.output).toBeNull();
    const json = buildRecording(
      record({
        answer: { ...good, contentType: 'application/json', contentLength: 99 },
        response: buffered(Buffer.from('{"text":"pa')),
        outcome: { kind: 'cut', reason: 'closed' },
      }),
    );
    expect(json.span).toMatchObject({ status: failed('closed'), output: { text: 'pa' } });
  });

  it('JSON of which nothing but the end is kept, as where other calls hold all room, is read where that is all of it', () => {
    const body = new BodyBuffer(1_000, new BodyBudget(0));
    body.add(Buffer.from('{"text":"all",'), 100);
    body.add(Buffer.from('"finish":"stop"}'), 101);
    const answer = { ...good, contentType: 'application/json' };
    const { span } = buildRecording(record({ answer, response: body.finish() }));
    expect(span).toMatchObject({ status: 'completed', output: { text: 'all', finish_reason: 'stop' } });
  });

  it('a list in answer to a request for a stream is a stream', () => {
    const response = buffered(Buffer.from('[{"text":"x"}]'));
    const { span } = buildRecording(record({ answer: { ...good, contentType: 'application/json' }, response }));
    expect(span).toMatchObject({ status: 'completed', metadata: { streaming: true } });
  });

  it('a whole answer to a request for a stream is an answer', () => {
    const answer = { ...good, contentType: 'application/json' };
    const { span } = buildRecording(
      record({ answer, response: buffered(Buffer.from('{"text":"all","finish":"stop"}')) }),
    );
    expect(span).toMatchObject({ status: 'completed', output: { text: 'all' }, metadata: { streaming: false } });
  });

  it('says that its cost is what the provider reported, where that is so', () => {
    const answering = (cost: number | null): Endpoint => ({
      ...endpoint('sse'),
      readAnswer: () => ({ ...nothing, text: 'x', finishReason: 'stop', usage: { ...UNKNOWN_USAGE, cost } }),
    });
    const recorded = (cost: number | null) => {
      const wire = { entry: { name: 'acme', provider, base: null }, endpoint: answering(cost) };
      const answer = { ...good, contentType: 'application/json' };
      const { kind, metadata } = buildRecording(record({ wire, answer, response: buffered(Buffer.from('{}')) })).span;
      return [kind?.['cost'], metadata?.['cost_source']];
    };
    expect(recorded(0.25)).toEqual([0.25, 'provider']);
    expect(recorded(0)).toEqual([0, 'provider']);
    expect(recorded(null)).toEqual([undefined, undefined]);
  });

  it('is of the model that answered in place of one that declined', () => {
    const kindOf = (isFallback?: boolean) => {
      const readAnswer = () => ({ ...nothing, text: 'x', finishReason: 'stop', model: 'other', isFallback });
      const wire = { entry: { name: 'acme', provider, base: null }, endpoint: { ...endpoint('sse'), readAnswer } };
      const answer = { ...good, contentType: 'application/json' };
      const { kind, name } = buildRecording(record({ wire, answer, response: buffered(Buffer.from('{}')) })).span;
      return [kind?.['model'], name];
    };
    expect([kindOf(true), kindOf()]).toEqual([
      ['other', 'm'],
      ['m', 'm'],
    ]);
  });

  it('a plugin that throws costs details only', () => {
    const broken = {
      ...endpoint('sse'),
      readRequest: () => {
        throw new Error('no');
      },
      readStream: () => {
        throw new Error('no');
      },
    };
    const { span } = buildRecording(
      record({ wire: { entry: { name: 'acme', provider, base: null }, endpoint: broken }, response: buffered(sse) }),
    );
    expect(span).toMatchObject({ name: 'small', kind: { model: 'unknown' }, status: 'completed', output: null });
  });

  it('with capture off holds no content, with a preview the first characters', () => {
    const base = record({ response: buffered(sse) });
    const off = buildRecording({ ...base, facts: { ...base.facts, capture: { mode: 'off' } } });
    expect(JSON.stringify(off)).not.toMatch(/Hi|Grü/);
    const preview = buildRecording({ ...base, facts: { ...base.facts, capture: { mode: 'preview', chars: 7 } } });
    expect(preview.span).toMatchObject({ input: [{ content: 'Hi' }], output: { text: 'Grüße 😀' } });
  });
});
