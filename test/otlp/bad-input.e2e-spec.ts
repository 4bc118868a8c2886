/** Whatever comes to the routes of OTLP: an answer that exporters understand, and nothing stored that is not reported. */
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeOtlp } from '../../libs/otlp/fixtures/otlp-schema.js';
import { describeOnBothDatabases, showsAll } from '../support/databases.ts';
import {
  attribute,
  jsonRequest,
  jsonSpan,
  LIMITS,
  newTraceId,
  OtlpDoor,
  partialSuccessOf,
  protobufRequest,
  statusOf,
} from './otlp-door.ts';

/** A field with its number, its length in two bytes, and its content. */
const field = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, (content.length & 0x7f) | 0x80, content.length >> 7]), content]);

/** A span with a list in a list in a list. */
function nestedList(depth: number): Buffer {
  let value = field(1, Buffer.from('in the middle'));
  for (let level = 0; level < depth; level++) value = field(5, field(1, value));
  return field(1, field(2, field(2, field(9, field(2, value)))));
}

/** How brotli packs: its best takes a hundred times as long. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Texts that no database keeps. */
const ODD = ['a\0b', '\0', 'a\ud800b'];

/** A value with the text in the place of each of its texts, one after the other. */
function* withEach<Value>(value: Value, text: string): Generator<Value> {
  if (typeof value === 'string') yield text as Value;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    for (const one of withEach(inner, text))
      yield (Array.isArray(value) ? value.with(Number(name), one) : { ...value, [name]: one }) as Value;
  }
}

const whole = protobufRequest(jsonSpan());

describeOnBothDatabases('bad input of exporters', ({ name, newDatabase }) => {
  let door: OtlpDoor;
  beforeAll(async () => void (door = await OtlpDoor.open(await newDatabase('otlp'))));
  afterAll(() => door.close());

  // They are refused before a database is asked.
  if (showsAll(name)) {
    describe('exports that cannot be read', () => {
      it.each<[what: string, body: Uint8Array, said: string]>([
        ['cut off', whole.subarray(0, -3), 'a length beyond its message'],
        ['a length beyond its message', Buffer.from([0x0a, 0x05, 0x12, 0x00]), 'a length beyond its message'],
        ['an endless varint', Buffer.alloc(12, 0xff), 'more than ten bytes'],
        ['the start of a group', Buffer.from([0x0b, 0x0c]), 'wire type 3'],
        ['the end of a group', Buffer.from([0x0c]), 'wire type 4'],
        ['wire type 6', Buffer.from([0x0e]), 'wire type 6'],
        ['wire type 7', Buffer.from([0x0f]), 'wire type 7'],
        ['values nested too deeply', nestedList(65), 'nested deeper than 64'],
      ])('in protobuf, %s: 400', async (_what, body, said) => {
        const answer = await door.post(body);
        const { code, message, violations } = statusOf(answer);
        expect([answer.status, code]).toEqual([400, 3]);
        expect(message).toContain(said);
        expect(violations).toEqual([message]);
        expect(answer.headers.get('content-type')).toBe('application/x-protobuf');
      });

      it.each<[what: string, body: string, place: string]>([
        ['no JSON', '{"resourceSpans": [', 'not valid JSON at character 20'],
        [
          'attributes that are an object',
          JSON.stringify(jsonRequest({ attributes: {} })),
          'spans[0].attributes must be a list',
        ],
        [
          'spans that are no list',
          '{"resourceSpans":[{"scopeSpans":[{"spans":{}}]}]}',
          'scopeSpans[0].spans must be a list',
        ],
        ['a list', '[]', 'the body must be an object'],
      ])('in JSON, %s: 400 naming the place', async (_what, body, place) => {
        const answer = await door.post(body);
        const { code, message, violations } = statusOf(answer);
        expect([answer.status, code]).toEqual([400, 3]);
        expect(message).toContain(place);
        expect(violations).toEqual([message]);
        expect(answer.headers.get('content-type')).toBe('application/json');
      });

      it.each([
        ['gzip', gzipSync],
        ['zstd', zstdCompressSync],
        ['deflate', deflateSync],
        ['br', (bytes: Uint8Array) => brotliCompressSync(bytes, QUICKLY)],
      ])('cut or other bytes than %s: 400; a bomb in it: 413', async (coding, pack) => {
        const headers = { 'content-encoding': coding };
        const packed = pack(protobufRequest(jsonSpan({ name: 'x'.repeat(1_000) })));
        for (const body of [packed.subarray(0, -5), Buffer.from('not packed at all')]) {
          const answer = await door.post(body, { headers });
          expect([answer.status, statusOf(answer).code]).toEqual([400, 3]);
        }
        const bomb = pack(Buffer.alloc(20_000_000));
        expect(bomb.length).toBeLessThan(LIMITS.bodyBytes);
        const answer = await door.post(bomb, { headers });
        expect([answer.status, statusOf(answer).code]).toEqual([413, 8]);
      });

      it('larger than allowed, or of more items than allowed: 413', async () => {
        const many = Array.from({ length: LIMITS.itemsMax + 1 }, () => ({}));
        for (const body of [Buffer.alloc(LIMITS.bodyBytes + 1), protobufRequest(...many), jsonRequest(...many)]) {
          const answer = await door.post(body);
          expect([answer.status, statusOf(answer).code]).toEqual([413, 8]);
        }
      });

      it('packed otherwise, or of another media type: 415', async () => {
        const coding = await door.post(whole, { headers: { 'content-encoding': 'compress' } });
        expect([coding.status, statusOf(coding).code]).toEqual([415, 3]);
        expect(coding.headers.get('accept-encoding')).toBe('gzip, zstd, deflate, br');
        const media = await door.post(whole, { headers: { 'content-type': 'text/plain' } });
        expect([media.status, statusOf(media).code]).toEqual([415, 3]);
        expect(media.headers.get('content-type')).toBe('application/json');
      });

      it('of another signal: 400 that says so', async () => {
        const logRecords = [{ timeUnixNano: '5', body: { stringValue: 'a line' } }];
        const logs = { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
        const metrics = {
          resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', sum: { dataPoints: [{}] } }] }] }],
        };
        for (const [signal, body] of [
          ['logs', encodeOtlp('ExportLogsServiceRequest', logs)],
          ['metrics', encodeOtlp('ExportMetricsServiceRequest', metrics)],
          ['Logs', logs],
          ['Metrics', metrics],
        ] as const) {
          const answer = await door.post(body);
          expect([answer.status, statusOf(answer).code]).toEqual([400, 3]);
          expect(statusOf(answer).message).toContain(signal);
        }
      });
    });
  }

  describe('spans that cannot be kept', () => {
    const REJECTED: [what: string, span: object, reason: string][] = [
      ['without a trace id', { traceId: '' }, 'the trace id is not 32 hex digits'],
      ['with a short trace id', { traceId: 'abcd' }, 'the trace id is not 32 hex digits'],
      ['with a trace id of zeros', { traceId: '0'.repeat(32) }, 'the trace id is not 32 hex digits'],
      ['without a span id', { spanId: '' }, 'the span id is not 16 hex digits'],
      ['with a long span id', { spanId: 'ab'.repeat(9) }, 'the span id is not 16 hex digits'],
      ['with a span id of zeros', { spanId: '0'.repeat(16) }, 'the span id is not 16 hex digits'],
      ['without any time', { startTimeUnixNano: '0', endTimeUnixNano: '0' }, 'neither a start nor an end'],
      ['behind the year 9999', { endTimeUnixNano: '253402300800000000000' }, 'no count of nanoseconds'],
      ['before 1970', { startTimeUnixNano: '-5' }, 'no count of nanoseconds'],
    ];
    const ENCODINGS = [
      ['protobuf', protobufRequest],
      ['JSON', jsonRequest],
    ] as const;

    it.each(ENCODINGS)(
      'are left out of an export in %s, each reason reported; alone they are 400',
      async (_name, request) => {
        // Protobuf has no such times.
        const cases = request === jsonRequest ? REJECTED : REJECTED.filter(([what]) => !/9999|1970/.test(what));
        for (const [, span, reason] of cases) {
          const kept = jsonSpan();
          const bad = jsonSpan(span);
          const answer = await door.post(request(bad, kept, bad));
          const { rejected, message } = partialSuccessOf(answer);
          expect([answer.status, rejected]).toEqual([200, 2]);
          expect(message).toContain(reason);
          expect(message).toContain('(2');
          expect(await door.spansOf(kept['traceId'] as string)).toHaveLength(1);
          const alone = await door.post(request(bad));
          expect([alone.status, statusOf(alone).code]).toEqual([400, 3]);
          expect(statusOf(alone).message).toContain(reason);
        }
      },
    );

    it('have ids of other characters, in JSON', async () => {
      const kept = jsonSpan();
      const base64 = jsonSpan({ traceId: 'W47/95gDgQPSab03WzFnmQ==', spanId: '7uGbfsPBsXM=' });
      const odd = jsonSpan({ spanId: 'not hex digits!!' });
      const { rejected, message } = partialSuccessOf(await door.post(jsonRequest(kept, base64, odd)));
      expect(rejected).toBe(2);
      expect(message).toContain('first span');
    });

    it('are none in an export that has none: 200', async () => {
      for (const body of [Buffer.alloc(0), '{}', jsonRequest(), protobufRequest()]) {
        const answer = await door.post(body);
        expect([answer.status, partialSuccessOf(answer).rejected]).toEqual([200, 0]);
      }
    });
  });

  describe('odd values are kept as far as they can be', () => {
    /** Sends one span in both encodings. @returns it as stored, which is the same. */
    async function stored(span: Record<string, unknown>): Promise<Record<string, unknown>> {
      const found = [];
      for (const request of [protobufRequest, jsonRequest]) {
        const traceId = newTraceId();
        const answer = await door.post(request(jsonSpan({ ...span, traceId })));
        expect([answer.status, partialSuccessOf(answer)]).toEqual([200, { rejected: 0, message: '' }]);
        const [only] = await door.spansOf(traceId);
        found.push({ ...only, id: '', trace_id: '' });
      }
      expect(found[1]).toEqual(found[0]);
      return found[0]!;
    }
    const attributesOf = (span: Record<string, unknown>): Record<string, unknown> =>
      (span['metadata'] as { otel: { attributes: Record<string, unknown> } }).otel.attributes;

    it('names with NUL, over-long and empty ones', async () => {
      expect(await stored({ name: 'a\0b' })).toMatchObject({ name: 'ab' });
      expect(await stored({ name: 'x'.repeat(3_000) })).toMatchObject({ name: 'x'.repeat(2_000) });
      expect(await stored({ name: '' })).toMatchObject({ name: 'span' });
    });

    it('lone surrogates in JSON and bytes that are no UTF-8 in protobuf', async () => {
      const span = jsonSpan({ name: 'a\ud800b' });
      expect((await door.post(jsonRequest(span))).status).toBe(200);
      expect(await door.spansOf(span['traceId'] as string)).toMatchObject([{ name: 'ab' }]);
      const traceId = newTraceId();
      const body = protobufRequest(jsonSpan({ traceId, name: 'AB', attributes: [attribute('key', 'CD')] }));
      body[body.indexOf('AB')] = 0xff;
      body[body.indexOf('CD')] = 0xff;
      expect((await door.post(body)).status).toBe(200);
      const [mended] = await door.spansOf(traceId);
      expect(mended).toMatchObject({ name: '\uFFFDB', metadata: { otel: { attributes: { key: '\uFFFDD' } } } });
    });

    it('sessions, users and tags that are too long stay attributes', async () => {
      const long = 'x'.repeat(513);
      const traceId = newTraceId();
      const attributes = [attribute('session.id', long), attribute('user.id', `${long}\0`)];
      expect((await door.post(protobufRequest(jsonSpan({ traceId, attributes })))).status).toBe(200);
      const { body } = await door.api.get<{ trace: unknown }>(`/api/traces/${traceId}`);
      expect(body.trace).toMatchObject({ session_id: null, user_id: null });
      const [span] = await door.spansOf(traceId);
      expect(span).toMatchObject({ metadata: { otel: { attributes: { 'session.id': long } } } });
    });

    it('attributes of any name; of two of a name the last', async () => {
      const names = ['__proto__', 'constructor', '', 'a', 'a'];
      const attributes = attributesOf(await stored({ attributes: names.map((name, n) => attribute(name, n)) }));
      expect(Object.entries(attributes).toSorted()).toEqual(
        Object.entries(JSON.parse('{"": 2, "__proto__": 0, "a": 4, "constructor": 1}') as object).toSorted(),
      );
    });

    it('counts that are none are unknown', async () => {
      const counts = ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'];
      const call = [attribute('gen_ai.operation.name', 'chat'), attribute('gen_ai.request.model', 'own-model')];
      for (const value of [-1, 1.5, '-12', '1.5', 'twelve', '']) {
        const span = await stored({ attributes: [...call, ...counts.map((name) => attribute(name, value))] });
        expect(span['kind']).toMatchObject({ type: 'llm_call', input_tokens: null, output_tokens: null });
      }
    });

    it('messages of no shape are one message of the user', async () => {
      const call = [attribute('gen_ai.operation.name', 'chat'), attribute('gen_ai.request.model', 'own-model')];
      const inputOf = async (text: string): Promise<unknown> =>
        (await stored({ attributes: [...call, attribute('gen_ai.input.messages', text)] }))['input'];
      expect(await inputOf('no JSON [')).toEqual([{ role: 'user', content: 'no JSON [' }]);
      expect(await inputOf('{"odd": true}')).toEqual([{ role: 'user', content: { odd: true } }]);
      expect(await inputOf('5')).toEqual([{ role: 'user', content: 5 }]);
    });

    it('members of newer versions of the protocol are ignored', async () => {
      const traceId = newTraceId();
      const span = {
        ...jsonSpan({ traceId, name: 'newer' }),
        novel: { a: [1] },
        trace_id: 'counts only where traceId is absent',
      };
      const newer = [{ keyStrindex: 3, key: 'k', value: { stringValueStrindex: 5 } }];
      expect((await door.post(jsonRequest({ ...span, attributes: newer }))).status).toBe(200);
      expect(await door.spansOf(traceId)).toMatchObject([
        { name: 'newer', metadata: { otel: { attributes: { k: null } } } },
      ]);
      // Field 99 of the request, and fields 3 and 8 where newer versions have the places of texts.
      const unknown = Buffer.from([0x9a, 0x06, 1, 1]);
      const keyValue = Buffer.concat([
        field(1, Buffer.from('k')),
        Buffer.from([0x18, 3]),
        field(2, Buffer.from([0x40, 5])),
      ]);
      const ids = [field(1, Buffer.from(newTraceId(), 'hex')), field(2, Buffer.from('ab'.repeat(8), 'hex'))];
      const time = Buffer.from([0x39, 0, 0, 0, 0, 0, 1, 0, 0]);
      const message = Buffer.concat([...ids, time, field(9, keyValue)]);
      const body = Buffer.concat([unknown, field(1, field(2, field(2, message)))]);
      const answer = await door.post(body);
      expect([answer.status, partialSuccessOf(answer).rejected]).toEqual([200, 0]);
    });

    it.each([
      ['span', '/v1/traces'],
      ['log record', '/v1/logs'],
    ])('in each place of a %s a text that no database keeps: 200, and the others are stored', async (what, path) => {
      const attributes = [
        ...['session.id', 'user.id', 'gen_ai.request.model', 'gen_ai.provider.name', 'gen_ai.conversation.id'],
        ...[
          'gen_ai.operation.name',
          'openinference.span.kind',
          'tag.tags',
          'deployment.environment.name',
          'gen_ai.tool.name',
        ],
      ].map((name) => attribute(name, 'chat'));
      const { name, ...rest } = jsonSpan({ attributes, parentSpanId: 'ab'.repeat(8), traceState: 'a=b' });
      const events = [
        { name: 'gen_ai.choice', timeUnixNano: '1', attributes: [attribute('gen_ai.event.content', '{}')] },
      ];
      const links = [{ traceId: newTraceId(), spanId: 'cd'.repeat(8), attributes: [attribute('a', 'b')] }];
      const item =
        what === 'span'
          ? { ...rest, name, events, links, status: { code: 2, message: 'failed' } }
          : { ...rest, eventName: 'gen_ai.client.inference.operation.details', body: { stringValue: 'said' } };
      const resource = { attributes: [attribute('service.name', 'shop')] };
      const scope = { name: 'openai', version: '1', attributes: [attribute('a', 'b')] };
      const members =
        what === 'span' ? ['resourceSpans', 'scopeSpans', 'spans'] : ['resourceLogs', 'scopeLogs', 'logRecords'];
      const [resources, scopes, items] = members as [string, string, string];
      for (const odd of ODD) {
        for (const wrong of withEach({ resource, scope, item }, odd)) {
          const good = { ...item, traceId: newTraceId() };
          const list = { scope: wrong.scope, [items]: [wrong.item, good] };
          const body = JSON.stringify({ [resources]: [{ resource: wrong.resource, [scopes]: [list] }] });
          const { status } = await door.post(body, { path });
          expect([body, status]).toEqual([body, 200]);
          if (what === 'span') expect(await door.spansOf(good.traceId)).toHaveLength(1);
        }
      }
    });

    it('parents in a circle, a span its own parent, a parent that never comes', async () => {
      const traceId = newTraceId();
      const id = (n: number): string => n.toString(16).padStart(16, '0');
      const usage = [attribute('gen_ai.request.model', 'own-model'), attribute('gen_ai.usage.input_tokens', 5)];
      const spans = [
        [1, 2],
        [2, 3],
        [3, 1],
        [4, 4],
        [5, 9],
      ].map(([own, parent]) => jsonSpan({ traceId, spanId: id(own!), parentSpanId: id(parent!), attributes: usage }));
      for (const body of [protobufRequest(...spans), protobufRequest(...spans.toReversed())]) {
        expect((await door.post(body)).status).toBe(200);
      }
      const found = await door.spansOf(traceId);
      expect(new Map(found.map((span) => [span.id.slice(0, 16), span.parent_id?.slice(0, 16) ?? null]))).toEqual(
        new Map([
          [id(1), id(2)],
          [id(2), id(3)],
          [id(3), id(1)],
          [id(4), null],
          [id(5), id(9)],
        ]),
      );
    });
  });
});
