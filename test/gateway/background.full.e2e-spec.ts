/** The built program: a background response is one span, which has its answer and its cost when a later call has brought them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSpandrel, until } from '../support/spandrel.ts';

interface StoredSpan {
  id: string;
  name: string;
  status: string;
  kind: Record<string, unknown>;
  input: unknown;
  output: Record<string, unknown>;
  metadata: Record<string, unknown>;
  started_at: string;
  ended_at: string;
}

const PATIENT_MS = 30_000;

let upstream: Server;
let answer: object;
beforeAll(async () => {
  upstream = createServer((req, res) => {
    req.resume();
    req.on('end', () => res.setHeader('content-type', 'application/json').end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void upstream.close());

describe('a background response', () => {
  it('is completed by the call that brings its end, over a restart', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-forward-url': `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
    };
    let program = await startSpandrel();
    const env = { SPANDREL_SPOOL_DIR: `${program.dataDir}/spool` };
    const restart = async (): Promise<void> => {
      await program.stop();
      program = await startSpandrel({ dataDir: program.dataDir, env });
    };
    const read = async (path: string): Promise<unknown> => (await fetch(program.apiUrl + path)).json();
    const spans = async (): Promise<StoredSpan[]> =>
      ((await read('/api/spans?status=completed')) as { spans: StoredSpan[] }).spans;
    const span = async (id: string): Promise<StoredSpan> => (await read(`/api/spans/${id}`)) as StoredSpan;
    try {
      await restart();
      answer = { id: 'resp_1', object: 'response', status: 'queued', model: 'gpt-4o-mini', output: [], usage: null };
      const body = JSON.stringify({ model: 'gpt-4o-mini', background: true, input: 'think', temperature: 0.5 });
      await (await fetch(`${program.gatewayUrl}/v1/responses`, { method: 'POST', headers, body })).text();
      await until(async () => (await spans()).length === 1, PATIENT_MS);
      const [{ id }] = (await spans()) as [StoredSpan];
      const begun = await span(id);

      await restart();
      const content = [{ type: 'output_text', text: 'forty-two' }];
      const usage = { input_tokens: 1_000, output_tokens: 500, total_tokens: 1_500 };
      answer = { ...answer, status: 'completed', output: [{ type: 'message', role: 'assistant', content }], usage };
      await (await fetch(`${program.gatewayUrl}/v1/responses/resp_1`, { headers })).text();
      await until(async () => (await span(id)).output['text'] === 'forty-two', PATIENT_MS);
      const ended = await span(id);
      expect(await spans()).toHaveLength(1);
      expect(ended).toMatchObject({
        status: 'completed',
        name: begun.name,
        input: begun.input,
        started_at: begun.started_at,
        kind: { model: 'gpt-4o-mini', input_tokens: 1_000, output_tokens: 500, cost: 0.00045 },
        output: { text: 'forty-two', finish_reason: 'completed' },
        metadata: {
          ...{ endpoint: '/v1/responses', request: { background: true, temperature: 0.5 } },
          ...{ cost: 0.00045, cost_source: 'table' },
        },
      });
      expect(Date.parse(ended.ended_at)).toBeGreaterThan(Date.parse(begun.ended_at));
      expect(begun).toMatchObject({ metadata: { cost: null, cost_source: null } });

      // What another one cost, its provider says.
      answer = { id: 'resp_2', object: 'response', status: 'queued', model: 'gpt-4o-mini', output: [], usage: null };
      await (await fetch(`${program.gatewayUrl}/v1/responses`, { method: 'POST', headers, body })).text();
      await until(async () => (await spans()).length === 2, PATIENT_MS);
      const other = (await spans()).find((one) => one.id !== id)!.id;
      answer = {
        ...answer,
        ...{ status: 'completed', output: [{ type: 'message', role: 'assistant', content }] },
        usage: { ...usage, cost: 0.125 },
      };
      await (await fetch(`${program.gatewayUrl}/v1/responses/resp_2`, { headers })).text();
      await until(async () => (await span(other)).output['text'] === 'forty-two', PATIENT_MS);
      expect(await span(other)).toMatchObject({
        kind: { cost: 0.125 },
        metadata: { cost: 0.125, cost_source: 'provider' },
      });
    } finally {
      expect(await program.stop()).toBe(0);
    }
  });
});
