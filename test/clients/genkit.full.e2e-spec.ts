/** Genkit with its real packages, through the gateway and by its own export (docs/clients.md#genkit). */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { FAKE_USAGE } from '../fake-provider/usage.ts';
import { runSender } from '../otlp/run-sender.ts';
import { Api } from '../support/api.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';

/** The folder in which Genkit is installed, which `.ci/run` brings: it is too large for a dependency. */
const FOLDER = process.env['GENKIT_FOLDER'];
const isWanted = FOLDER !== undefined || process.env['SPANDREL_REQUIRE_SERVICES'] === '1';
const title = isWanted ? 'Genkit' : 'Genkit (skipped: GENKIT_FOLDER names no folder in which it is installed)';

const { input, output, cached, reasoning } = FAKE_USAGE;
const MODEL = 'gpt-4.1-mini';
/** The costs of its four calls that are answered, of which two read from the cache. */
const costOf = (read: number): number => ((input - read) * 0.4 + read * 0.1 + output * 1.6) / 1e6;
const COSTS = [cached, cached, 0, 0].map((read) => expect.closeTo(costOf(read), 12));
const asked = (scenario: string): string => `fake:${scenario} When is high tide?`;
const CALL = { id: 'call_fake0001', name: 'get_tide' };
const HIGH = { harbour: '長崎', high: '11:20' };

(isWanted ? describe : describe.skip)(title, () => {
  let provider: FakeProvider;
  let spandrel: Spandrel;
  let recorded: SpanResource[];
  let exported: SpanResource[];

  beforeAll(async () => {
    provider = await startFakeProvider();
    spandrel = await startSpandrel({ env: { SPANDREL_OPENAI_BASE_URL: provider.url } });
    // Packages are found from where a program stands.
    const program = join(FOLDER!, 'sender.mjs');
    copyFileSync('test/otlp/senders/elsewhere/genkit.mjs', program);
    const urls = { OPENAI_BASE_URL: `${spandrel.gatewayUrl}/v1`, OTEL_EXPORTER_OTLP_ENDPOINT: spandrel.apiUrl };
    await runSender({ program: [program] }, { ...urls, GENKIT_ENV: 'prod' }, tempDir());
    const isRecorded = ({ metadata }: SpanResource): boolean => metadata['endpoint'] !== undefined;
    let spans: SpanResource[] = [];
    await until(async () => {
      spans = (await new Api(spandrel.apiUrl).spans()).toReversed();
      return spans.filter((span) => isRecorded(span) && span.status !== 'running').length === 6;
    });
    recorded = spans.filter(isRecorded);
    exported = spans.filter((span) => !isRecorded(span));
  });
  afterAll(async () => {
    await spandrel?.stop();
    await provider?.close();
  });

  const callsOf = (spans: readonly SpanResource[]): SpanResource[] =>
    spans.filter(({ kind, status }) => kind['model'] === MODEL && status === 'completed');

  it('is recorded by the gateway: a call, a stream, a tool and its result, an error and an embedding', () => {
    const calls = callsOf(recorded);
    expect(calls.map(({ metadata }) => metadata['cost'])).toEqual(COSTS);
    expect(calls.map(({ metadata }) => metadata['streaming'])).toEqual([false, true, false, false]);
    expect(calls[0]).toMatchObject({
      kind: { input_tokens: input, output_tokens: output, cached_input_tokens: cached, reasoning_tokens: reasoning },
      input: [{ role: 'system' }, { role: 'user' }],
      output: { text: `You said: ${asked('cached+reasoning')}`, finish_reason: 'stop' },
      metadata: { request: { temperature: 0.5 } },
    });
    expect(calls[2]!.output).toMatchObject({ tool_calls: [CALL] });
    expect(JSON.stringify(calls[3]!.input)).toContain(HIGH.high);
    expect(recorded.filter(({ status }) => status !== 'completed').map(({ status }) => status)).toEqual([
      { failed: { error: expect.stringContaining('fake provider error 400') } },
    ]);
    expect(recorded.at(-1)).toMatchObject({ kind: { model: 'text-embedding-3-small' }, status: 'completed' });
  });

  it('exports the flow, its calls with tokens and cost, the tool, the error and the embedding, as one tree', () => {
    const calls = callsOf(exported);
    expect(calls.map(({ metadata }) => metadata['cost'])).toEqual(COSTS);
    expect(calls[0]).toMatchObject({
      kind: { provider: 'openai', input_tokens: input, output_tokens: output, reasoning_tokens: reasoning },
      input: [
        { role: 'system', content: 'Answer in one sentence.' },
        { role: 'user', content: asked('cached+reasoning') },
      ],
      output: { text: `You said: ${asked('cached+reasoning')}` },
    });
    const named = (type: string): SpanResource[] => exported.filter(({ kind }) => kind.type === type);
    expect(named('tool_call')).toMatchObject([{ name: 'get_tide', input: { harbour: HIGH.harbour }, output: HIGH }]);
    expect(named('embedding')).toMatchObject([{ kind: { model: 'text-embedding-3-small' } }]);
    const failed = exported.find(({ kind, status }) => kind['model'] === MODEL && status !== 'completed');
    expect(failed?.status).toEqual({ failed: { error: expect.stringContaining('fake provider error 400') } });
    expect(exported.filter((span) => span.parent_id === null)).toMatchObject([
      { name: 'tides', kind: { type: 'custom', kind: 'flow' }, input: 'When is high tide?', output: '11:20' },
    ]);
    expect(new Set(exported.map((span) => span.trace_id)).size).toBe(1);
  });
});
