/** The database goes while exports come: 503 in the encoding of the request, and sending it again is safe. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openLink, type Link } from '../support/cut-link.ts';
import { describeOnDatabase, POSTGRES } from '../support/databases.ts';
import { until } from '../support/spandrel.ts';
import { attribute, jsonRequest, jsonSpan, newTraceId, OtlpDoor, protobufRequest, statusOf } from './otlp-door.ts';

/** More than one transaction takes. */
const SPANS = 1_200;

describeOnDatabase(POSTGRES, 'an export while the database is gone', ({ newDatabase }) => {
  let link: Link;
  let door: OtlpDoor;
  beforeAll(async () => {
    const config = await newDatabase('otlp');
    if (config.dialect !== 'postgres') throw new Error('this suite is about Postgres');
    const url = new URL(config.url);
    link = await openLink(Number(url.port));
    url.port = String(link.port);
    door = await OtlpDoor.open({ ...config, url: url.href });
  });
  afterAll(async () => {
    link?.mend();
    await door?.close();
    link?.close();
  });

  it('is 503 with Retry-After in the middle of several transactions too: a part is there, and all once after it was sent again', async () => {
    const traceId = newTraceId();
    const last = 'the-last-of-this-export';
    const usage = [attribute('gen_ai.request.model', 'own-model'), attribute('gen_ai.usage.input_tokens', 1)];
    const spans = Array.from({ length: SPANS }, (_, n) =>
      jsonSpan({
        traceId,
        spanId: (n + 1).toString(16).padStart(16, '0'),
        ...(n % 10 === 0 && { attributes: usage }),
        ...(n === SPANS - 1 && { name: last }),
      }),
    );
    expect((await door.post(protobufRequest(jsonSpan()))).status).toBe(200);
    link.cutBefore(last);
    const answer = await door.post(protobufRequest(...spans));
    expect([answer.status, statusOf(answer).code]).toEqual([503, 14]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    link.mend();
    await until(async () => (await door.call(`/api/traces/${traceId}`, { method: 'GET' })).status === 200);
    const before = await door.spansOf(traceId);
    expect(before.length).toBeGreaterThan(0);
    expect(before.length).toBeLessThan(spans.length);
    await until(async () => (await door.post(protobufRequest(...spans))).status === 200);
    expect(await door.spansOf(traceId)).toHaveLength(spans.length);
    const { body } = await door.api.get<{ trace: unknown }>(`/api/traces/${traceId}`);
    expect(body.trace).toMatchObject({ span_count: spans.length, total_tokens: spans.length / 10 });
  });

  it('is 503 with Retry-After, and there once after it was sent again', async () => {
    const traceId = newTraceId();
    const spans = Array.from({ length: 300 }, (_, n) =>
      jsonSpan({ traceId, spanId: (n + 1).toString(16).padStart(16, '0') }),
    );
    // The key is known by now, so that the refusal is that of the write.
    expect((await door.post(protobufRequest(...spans.slice(0, 100)))).status).toBe(200);
    link.cut();
    for (const [body, type] of [
      [protobufRequest(...spans), 'application/x-protobuf'],
      [jsonRequest(...spans), 'application/json'],
    ] as const) {
      const answer = await door.post(body);
      expect([answer.status, statusOf(answer).code, answer.headers.get('content-type')]).toEqual([503, 14, type]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    link.mend();
    await until(async () => (await door.post(protobufRequest(...spans))).status === 200);
    expect(await door.spansOf(traceId)).toHaveLength(300);
  });
});
