/** Calls of official clients through the gateway, made inside spans of the SDK: one trace, each call under its span. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import { Spandrel } from '@spandrel/sdk';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';

const PROVIDER_KEY = 'sk-canary-sdk-0123456789';
const MEMBERS = { sessionId: 'session 長崎', userId: 'anna', tags: ['tides', 'demo'] };

type Calls = Record<string, () => Promise<unknown>>;

/** One call of each kind by clients of the three makers, streamed and whole. */
function callsOf(openai: OpenAI, anthropic: Anthropic, ollama: Ollama): Calls {
  const messages = [{ role: 'user' as const, content: 'When is high water?' }];
  const claude = { model: 'claude-opus-5', max_tokens: 100, messages };
  return {
    'openai, whole': () => openai.chat.completions.create({ model: 'gpt-4o-mini', messages }),
    'openai, streamed': async () =>
      readAll(await openai.chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true })),
    'openai responses, streamed': async () =>
      readAll(await openai.responses.create({ model: 'gpt-4o-mini', input: 'When?', stream: true })),
    'anthropic, whole': () => anthropic.messages.create(claude),
    'anthropic, streamed': async () => readAll(await anthropic.messages.create({ ...claude, stream: true })),
    'ollama, whole': () => ollama.chat({ model: 'llama3.2', messages }),
    'ollama, streamed': async () => readAll(await ollama.chat({ model: 'llama3.2', messages, stream: true })),
  };
}

async function readAll(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

describeOnBothDatabases('clients by viaGateway', ({ name, takePlace }) => {
  let provider: FakeProvider;
  let place: Place;
  let program: Program;
  let spandrel: Spandrel;
  beforeAll(async () => {
    provider = await startFakeProvider();
    place = await takePlace();
    program = await place.start({
      env: {
        SPANDREL_OPENAI_BASE_URL: provider.url,
        SPANDREL_ANTHROPIC_BASE_URL: provider.url,
        SPANDREL_OLLAMA_BASE_URL: provider.url,
      },
    });
    const { apiUrl, gatewayUrl } = program;
    spandrel = new Spandrel({ apiUrl, gatewayUrl, ...(place.key !== undefined && { apiKey: place.key }) });
  });
  afterAll(async () => {
    await place?.close();
    await provider?.close();
  });

  /** Makes all calls at once, each in a span of its own, and expects each recording under the span of its call. */
  async function expectChildren(calls: Calls): Promise<SpanResource[]> {
    provider.requests.length = 0;
    const trace = await spandrel.trace('support chat', MEMBERS, async ({ id }) => {
      await Promise.all(Object.entries(calls).map(([step, call]) => spandrel.span(step, {}, call)));
      return id;
    });
    expect(await spandrel.flush()).toMatchObject({ pending: 0, dropped: 0, rejected: 0 });
    const steps = Object.keys(calls);
    let spans: SpanResource[] = [];
    await until(
      async () => {
        spans = await program.api.spans(`trace_id=${trace}`);
        return spans.length === 2 * steps.length && spans.every(({ status }) => status !== 'running');
      },
      10_000,
      () => JSON.stringify(spans.map(({ name: of, parent_id: parent, status }) => ({ of, parent, status }))),
    );
    const recorded = spans.filter(({ kind }) => kind['type'] === 'llm_call');
    const stepOf = new Map(spans.map(({ id, name: step }) => [id, step]));
    expect(recorded.map(({ parent_id: parent }) => stepOf.get(parent!)).toSorted()).toEqual(steps.toSorted());
    expect(recorded.map(({ status }) => status)).toEqual(steps.map(() => 'completed'));
    const { body } = await program.api.get<object>(`/api/traces/${trace}`);
    expect(body).toMatchObject({
      trace: { name: 'support chat', session_id: MEMBERS.sessionId, user_id: MEMBERS.userId, tags: MEMBERS.tags },
    });
    // The provider learns nothing of the gateway, its key or the trace's members.
    expect(provider.requests).toHaveLength(steps.length);
    const headers = JSON.stringify(provider.requests.map(({ rawHeaders }) => rawHeaders));
    expect(headers).toContain(PROVIDER_KEY);
    expect(headers).not.toMatch(/x-spandrel|x-forward-url|x-ollama-base|anna/i);
    if (place.key !== undefined) expect(headers).not.toContain(place.key);
    return recorded;
  }

  it('are children of the spans that they are called in, in one trace', async () => {
    const recorded = await expectChildren(
      callsOf(
        spandrel.viaGateway(new OpenAI({ apiKey: PROVIDER_KEY, maxRetries: 0 })),
        spandrel.viaGateway(new Anthropic({ apiKey: PROVIDER_KEY, maxRetries: 0 })),
        spandrel.viaGateway(new Ollama({ headers: { authorization: `Bearer ${PROVIDER_KEY}` } })),
      ),
    );
    expect(new Set(recorded.map(({ kind }) => kind['provider']))).toEqual(new Set(['openai', 'anthropic', 'ollama']));
  });

  // In cloud mode the operator alone knows where the gateway is.
  if (name === 'SQLite') {
    it('are led to the gateway that the server names where no setting does', async () => {
      const { apiUrl, gatewayUrl } = program;
      const asking = new Spandrel({ apiUrl: `${apiUrl}/api` });
      const openai = asking.viaGateway(new OpenAI({ apiKey: PROVIDER_KEY, maxRetries: 0 }));
      expect(openai.baseURL).not.toContain(gatewayUrl);
      const calls = callsOf(openai, new Anthropic({ apiKey: PROVIDER_KEY }), new Ollama());
      const [whole, streamed] = ['openai, whole', 'openai, streamed'];
      await expectChildren({ [whole!]: calls[whole!]!, [streamed!]: calls[streamed!]! });
    });
  }

  // In cloud mode the operator lists the hosts that callers may name.
  if (name === 'SQLite') {
    it('keep a base of their own, to which the gateway forwards', async () => {
      const base = provider.url;
      const recorded = await expectChildren(
        callsOf(
          spandrel.viaGateway(new OpenAI({ apiKey: PROVIDER_KEY, baseURL: `${base}/v1`, maxRetries: 0 })),
          spandrel.viaGateway(new Anthropic({ apiKey: PROVIDER_KEY, baseURL: base, maxRetries: 0 })),
          spandrel.viaGateway(new Ollama({ host: base, headers: { authorization: `Bearer ${PROVIDER_KEY}` } })),
        ),
      );
      expect(new Set(recorded.map(({ kind }) => kind['provider']))).toEqual(new Set(['custom', 'ollama']));
    });
  }
});
