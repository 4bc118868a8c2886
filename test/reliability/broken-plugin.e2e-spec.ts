/** A provider plugin that throws or returns nonsense: the call passes unchanged, the process lives on. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { Api } from '../support/api.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';

/** Where a plugin goes wrong, and what is left of the recording; `unrecorded` calls pass without one. */
const FAULTS: Record<string, Partial<SpanResource> | 'unrecorded' | 'unrecognised'> = {
  nothing: { status: 'completed', input: [{ role: 'user', content: 'asked' }] },
  recognises: 'unrecognised',
  endpoint: 'unrecorded',
  errorBody: { status: 'completed' },
  errorMessage: { status: 'completed' },
  readRequest: { status: 'completed', output: { text: 'replied', finish_reason: null } },
  readAnswer: { input: [{ role: 'user', content: 'asked' }] },
  readStream: { input: [{ role: 'user', content: 'asked' }] },
  push: { input: [{ role: 'user', content: 'asked' }] },
  started: { input: [{ role: 'user', content: 'asked' }] },
  ended: { input: [{ role: 'user', content: 'asked' }] },
  answer: { input: [{ role: 'user', content: 'asked' }] },
};
/** Instead of throwing: what no caller can use. */
const NONSENSE: Record<string, string> = {
  throw: '(() => { throw new Error("broken on purpose") })()',
  throwNull: '(() => { throw null })()',
  undefined: 'undefined',
  promise: 'new Promise(() => {})',
  rejection: 'Promise.reject(new Error("broken on purpose"))',
  bigint: '{ text: 1n, model: 1n, input: 1n, parameters: { a: 1n }, toolCalls: [], usage: {} }',
  cycle:
    '(() => { const a = { toolCalls: [], usage: {}, parameters: {} }; a.text = a; a.input = a; a.model = a; return a })()',
  hostile: 'new Proxy({}, { get() { throw new Error("broken on purpose") } })',
  text: '"nonsense"',
};

const pluginSource = (name: string, method: string, value: string): string => `
const answer = (body) => ({ model: null, text: body?.reply ?? null, finishReason: null, toolCalls: [], usage: {}, error: null });
const fault = (method, otherwise) => (method === ${JSON.stringify(method)} ? ${value} : otherwise());
const reader = () => ({
  text: '',
  push({ data }) { fault('push', () => { this.text += data }) },
  get started() { return fault('started', () => this.text !== '') },
  get ended() { return fault('ended', () => this.text.includes('end')) },
  answer() { return fault('answer', () => answer({ reply: this.text })) },
});
const ask = {
  name: 'ask',
  framing: 'sse',
  readRequest: (body) => fault('readRequest', () => ({
    model: 'm', input: [{ role: 'user', content: body.question }], streaming: body.stream === true, parameters: {},
  })),
  readAnswer: (body) => fault('readAnswer', () => answer(body)),
  readStream: () => fault('readStream', reader),
};
export default {
  extensionPoint: 'provider',
  name: ${JSON.stringify(name)},
  apiVersion: 1,
  config: (z) => z.strictObject({ base_url: z.string() }),
  setup: (_deps, { base_url }) => ({
    defaultBaseUrl: base_url,
    hosts: [],
    recognises: ({ path }) => path.startsWith('/${name}/') ? fault('recognises', () => 'certain') : 'no',
    endpoint: ({ path }) => path.startsWith('/${name}/') ? fault('endpoint', () => ask) : undefined,
    errorBody: (status, message) => fault('errorBody', () => ({ message })),
    errorMessage: (body) => fault('errorMessage', () => body?.message),
    chat: { buildRequest() {}, readAnswer() {}, buildModelsRequest() {}, readModels() {} },
  }),
};
`;

const ANSWER = '{"reply":"replied"}';
const STREAM = 'data: one\n\ndata: two end\n\n';
const upstream = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const streaming = body.includes('"stream":true');
    const failing = body.includes('fail');
    response.writeHead(failing ? 429 : 200, { 'content-type': streaming ? 'text/event-stream' : 'application/json' });
    response.end(failing ? '{"message":"slow down"}' : streaming ? STREAM : ANSWER);
  });
});

const variants = Object.keys(FAULTS).flatMap((method) =>
  Object.keys(NONSENSE).map((how) => ({ method, how, name: `${method}-${how}`.toLowerCase() })),
);
let spandrel: Spandrel;
let api: Api;
beforeAll(async () => {
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const folder = tempDir();
  const entries = variants.map(({ method, how, name }) => {
    writeFileSync(join(folder, `${name}.mjs`), pluginSource(name, method, NONSENSE[how]!));
    return `  - { use: ./${name}.mjs, config: { base_url: '${base}' } }\n`;
  });
  writeFileSync(join(folder, 'my.yaml'), `plugins:\n${entries.join('')}  - openai\n`);
  spandrel = await startSpandrel({
    args: ['--config', join(folder, 'my.yaml')],
    env: { SPANDREL_OPENAI_BASE_URL: base },
  });
  api = new Api(spandrel.apiUrl);
});
afterAll(async () => {
  await spandrel?.stop('SIGKILL');
  upstream.close();
});

const call = async (path: string, body: object): Promise<[number, string]> => {
  const answer = await fetch(spandrel.gatewayUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return [answer.status, await answer.text()];
};

async function failedRecordings(): Promise<number> {
  const metrics = await (await fetch(`${spandrel.gatewayUrl}/metrics`)).text();
  return Number(/^spandrel_gateway_dropped_recordings_total\{reason="failed"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
}

describe('a provider plugin that goes wrong', () => {
  it.each(Object.keys(FAULTS))('in %s passes calls unchanged and keeps what it can', async (method) => {
    const left = FAULTS[method]!;
    for (const { name, how } of variants.filter((variant) => variant.method === method)) {
      const path = `/${name}/ask`;
      const failedBefore = await failedRecordings();
      const whole = await call(path, { question: 'asked' });
      const streamed = await call(path, { question: 'asked', stream: true });
      const failed = await call(path, { question: 'fail' });
      if (left === 'unrecognised') {
        for (const [status] of [whole, streamed, failed]) expect([name, status]).toEqual([name, 400]);
        continue;
      }
      expect([name, whole, streamed, failed]).toEqual([
        name,
        [200, ANSWER],
        [200, STREAM],
        [429, '{"message":"slow down"}'],
      ]);
      if (left === 'unrecorded') continue;
      const spansOf = async (): Promise<SpanResource[]> => api.spans(`provider=${name}`);
      // What throws leaves the rest of the recording; nonsense may cost it whole, which is counted.
      const lost = async (): Promise<number> => (how === 'throw' ? 0 : (await failedRecordings()) - failedBefore);
      await until(
        async () => (await spansOf()).filter(({ status }) => status !== 'running').length + (await lost()) === 3,
        5_000,
        () => `${name}: not recorded\n${spandrel.output().slice(-1_000)}`,
      );
      if (how === 'throw') {
        const spans = (await spansOf()).toReversed();
        const streamFault = ['readStream', 'push', 'started', 'ended', 'answer'].includes(method);
        expect(spans[streamFault ? 1 : 0]).toMatchObject(left);
        expect(spans.map(({ metadata }) => metadata['status_code'])).toEqual([200, 200, 429]);
      }
    }
    expect((await fetch(`${spandrel.gatewayUrl}/livez`)).status).toBe(200);
  });

  it('hurts no other plugin, and the process stops in order', async () => {
    expect(await call('/v1/chat/completions', { model: 'm', messages: [] })).toEqual([200, ANSWER]);
    await until(async () => (await api.spans('provider=openai&status=completed')).length === 1);
    expect(await spandrel.stop()).toBe(0);
  });
});
