/** A provider plugin that throws or returns nonsense: the call passes unchanged, the process lives on. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import type { Place, Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';

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

/** The provider behind these plugins, not listening yet. */
export const makeUpstream = (): Server =>
  createServer((request, response) => {
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

/** Writes them into a folder. @returns their entries in the list of plugins of a configuration there, one a line. */
export function writeBrokenPlugins(folder: string, baseUrl: string): string {
  const entries = variants.map(({ method, how, name }) => {
    writeFileSync(join(folder, `${name}.mjs`), pluginSource(name, method, NONSENSE[how]!));
    return `  - { use: ./${name}.mjs, config: { base_url: '${baseUrl}' } }\n`;
  });
  return entries.join('');
}

/**
 * The tests of a program with these plugins and `openai`, whose calls go to {@link makeUpstream} too; the program is
 * stopped at the end.
 */
export function describeBrokenPlugins(running: () => { place: Place; program: Program }): void {
  describe('a provider plugin that goes wrong', () => {
    const call = async (path: string, session: string, body: object): Promise<[number, string]> => {
      const { place, program } = running();
      const answer = await fetch(program.gatewayUrl + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-spandrel-session-id': session, ...place.gatewayHeaders },
        body: JSON.stringify(body),
      });
      return [answer.status, await answer.text()];
    };

    async function failedRecordings(): Promise<number> {
      const metrics = await (await fetch(`${running().program.gatewayUrl}/metrics`)).text();
      return Number(/^spandrel_gateway_dropped_recordings_total\{reason="failed"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
    }

    it.each(Object.keys(FAULTS))('in %s passes calls unchanged and keeps what it can', async (method) => {
      const { program } = running();
      const left = FAULTS[method]!;
      const ways = variants.filter((variant) => variant.method === method);
      const failedBefore = await failedRecordings();
      await Promise.all(
        ways.map(async ({ name }) => {
          // One after the other, so that their spans come in this order.
          const ask = (body: object) => call(`/${name}/ask`, method, body);
          const whole = await ask({ question: 'asked' });
          const streamed = await ask({ question: 'asked', stream: true });
          const failed = await ask({ question: 'fail' });
          if (left === 'unrecognised') {
            for (const [status] of [whole, streamed, failed]) expect([name, status]).toEqual([name, 400]);
            return;
          }
          expect([name, whole, streamed, failed]).toEqual([
            name,
            [200, ANSWER],
            [200, STREAM],
            [429, '{"message":"slow down"}'],
          ]);
        }),
      );
      if (left !== 'unrecognised' && left !== 'unrecorded') {
        let spans: SpanResource[] = [];
        // Nonsense may cost a recording whole, which is counted.
        const lost = async (): Promise<number> => (await failedRecordings()) - failedBefore;
        await until(
          async () => {
            spans = await program.api.spans(`session_id=${method}`);
            return spans.filter(({ status }) => status !== 'running').length + (await lost()) === 3 * ways.length;
          },
          10_000,
          () => `${method}: not recorded\n${program.output().slice(-1_000)}`,
        );
        // What throws leaves the rest of it.
        const thrown = spans.filter(({ kind }) => kind['provider'] === `${method}-throw`.toLowerCase()).toReversed();
        expect(thrown.map(({ metadata }) => metadata['status_code'])).toEqual([200, 200, 429]);
        const streamFault = ['readStream', 'push', 'started', 'ended', 'answer'].includes(method);
        expect(thrown[streamFault ? 1 : 0]).toMatchObject(left);
      }
      expect((await fetch(`${program.gatewayUrl}/livez`)).status).toBe(200);
    });

    it('hurts no other plugin, and the process stops in order', async () => {
      const { program } = running();
      expect(await call('/v1/chat/completions', 'other', { model: 'm', messages: [] })).toEqual([200, ANSWER]);
      await until(async () => (await program.api.spans('provider=openai&status=completed')).length === 1);
      expect(await program.stop()).toBe(0);
    });
  });
}
