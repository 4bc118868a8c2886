/** Plugins from outside the repository: the examples of docs/plugins.md and docs/otlp.md, as they stand there, beside some that go wrong. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalRunResource, Problem } from '@spandrel/contract';
import type { DialectPlugin, MaskerPlugin, ScorerPlugin } from '@spandrel/plugin-api';
import {
  describeDialectContract,
  describeMaskerContract,
  describeScorerContract,
  otelSpan,
} from '@spandrel/plugin-api/testing';
// Not from the index, which loads the whole framework.
import { createLogger } from '../libs/kernel/src/log/logger.js';
import { loadPlugins } from '../libs/kernel/src/plugins/load-plugins.js';
import { describeBrokenPlugins, makeUpstream, writeBrokenPlugins } from './reliability/broken-plugin.ts';
import type { Place, Program } from './support/places.ts';
import { tempDir, until } from './support/spandrel.ts';
import { describeOnDatabase, SQLITE } from './support/databases.ts';

const folder = tempDir();
for (const page of ['docs/plugins.md', 'docs/otlp.md']) {
  for (const [, file, code] of readFileSync(resolve(page), 'utf8').matchAll(/^```\w+ file=(\S+)\n(.*?)^```/gms)) {
    writeFileSync(join(folder, file!), code!);
  }
}

const acme = createServer((request, response) => {
  request.resume().on('end', () => {
    const unknown = request.url !== '/acme/ask';
    response.writeHead(unknown ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(unknown ? { problem: 'no such engine' } : { reply: 'At noon.', used: { in: 5, out: 2 } }),
    );
  });
});
/** What went to Harbour. */
const harbourCalls: { url: string; headers: IncomingHttpHeaders }[] = [];
const harbour = createServer((request, response) => {
  harbourCalls.push({ url: request.url!, headers: request.headers });
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        model: 'harbour-large',
        choices: [{ index: 0, message: { role: 'assistant', content: 'At noon.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1000, completion_tokens: 100, prompt_tokens_details: { cached_tokens: 400 } },
      }),
    );
  });
});
/** What an instrumentation says that docs/otlp.md writes a dialect for. */
const DESK_ATTRIBUTES = {
  'desk.step': 'ask',
  'desk.engine': 'pilot-2',
  'desk.question': 'When is high water?',
  'desk.reply': 'At noon.',
  'desk.used.in': 9,
  'desk.used.out': 3,
  'desk.boat': 'Ada',
  // Dialects of users are asked first, what they leave open is read by the built-in ones.
  'gen_ai.operation.name': 'embeddings',
  'gen_ai.request.model': 'another',
  'gen_ai.response.id': 'answer-1',
};
const upstream = makeUpstream();
let upstreamUrl: string;

/** @returns the URL. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  upstreamUrl = await listen(upstream);
  const harbourUrl = await listen(harbour);
  writeFileSync(
    join(folder, 'my.yaml'),
    `plugins:
  - ./max-length.ts
  - ./desk.ts
  - ./employee-number.ts
  - use: ./acme.ts
    config: { base_url: '${await listen(acme)}' }
  - use: ./harbour.ts
    config: { base_url: '${harbourUrl}/v1' }
  - use: ./harbour-team.ts
    config: { base_url: '${harbourUrl}/v1', team: tides }
${writeBrokenPlugins(folder, upstreamUrl)}  - openai
`,
  );
});
afterAll(() => {
  acme.close();
  harbour.close();
  upstream.close();
});

describeOnDatabase(SQLITE, 'plugins in files of their own', ({ takePlace }) => {
  let place: Place;
  let program: Program;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start({
      args: ['--config', join(folder, 'my.yaml')],
      env: { SPANDREL_OPENAI_BASE_URL: upstreamUrl },
    });
  });
  afterAll(() => place?.close());

  it('are loaded and configured, and a provider reads the calls it recognises', async () => {
    const answer = await fetch(`${program.gatewayUrl}/acme/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...place.gatewayHeaders },
      body: JSON.stringify({ engine: 'acme-1', question: 'When is high water?' }),
    });
    expect(await answer.json()).toEqual({ reply: 'At noon.', used: { in: 5, out: 2 } });
    const { api } = program;
    await until(async () => (await api.spans('status=completed')).length === 1);
    expect(await api.spans()).toMatchObject([
      {
        name: 'acme-1',
        kind: { type: 'llm_call', provider: 'acme', model: 'acme-1', input_tokens: 5, output_tokens: 2 },
        input: [{ role: 'user', content: 'When is high water?' }],
        output: { text: 'At noon.' },
        metadata: { cost: 0.0000052 },
      },
    ]);
  });

  it('record a provider in the format of OpenAI at the price that its plugin brings', async () => {
    const { api } = program;
    const answer = await fetch(`${program.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-harbour-key': 'k', ...place.gatewayHeaders },
      body: JSON.stringify({ model: 'harbour-large', messages: [{ role: 'user', content: 'When?' }] }),
    });
    expect([answer.status, harbourCalls.at(-1)?.url]).toEqual([200, '/v1/chat/completions']);
    const recorded = 'provider=harbour&status=completed';
    await until(async () => (await api.spans(recorded)).length === 1);
    expect(await api.spans(recorded)).toMatchObject([
      {
        kind: { model: 'harbour-large', input_tokens: 1000, cached_input_tokens: 400, cost: 0.0022 },
        output: { text: 'At noon.', finish_reason: 'stop' },
      },
    ]);
  });

  it('read spans of OpenTelemetry in a dialect of their own', async () => {
    const { api } = program;
    const attributes = Object.entries(DESK_ATTRIBUTES).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
    }));
    const span = {
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      name: 'ask the desk',
      startTimeUnixNano: '1795338000000000000',
      endTimeUnixNano: '1795338001000000000',
      attributes,
    };
    const exported = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
    expect((await api.post('/v1/traces', exported)).status).toBe(200);
    expect(await api.spans('provider=harbour&kind=llm_call&model=pilot-2')).toMatchObject([
      {
        kind: { type: 'llm_call', model: 'pilot-2', input_tokens: 9, output_tokens: 3 },
        input: [{ role: 'user', content: 'When is high water?' }],
        output: { text: 'At noon.' },
        metadata: { response_id: 'answer-1', otel: { attributes: { 'desk.step': 'ask', 'desk.boat': 'Ada' } } },
      },
    ]);
    const { body } = await api.get<{ trace: { session_id: string } }>(`/api/traces/${span.traceId}`);
    expect(body.trace.session_id).toBe('Ada');
  });

  it('mask what their masker finds, in the gateway and in the API', async () => {
    const { api } = program;
    const { body: credential } =
      place.mode === 'cloud' ? await api.get<{ project_id: string }>('/api/credential') : { body: null };
    const masking = `/api/projects/${credential?.project_id ?? 'local'}/masking`;
    const put = (rules: object[]) => api.send('PUT', masking, { rules });
    const rule = { masker: 'employee-number', fields: ['input'], config: { prefix: 'STAFF-' } };
    expect((await put([{ ...rule, config: { prefix: '' } }])).status).toBe(400);
    expect((await put([rule])).status).toBe(200);
    const shown = await api.post<{ text: string }>(`${masking}/preview`, { text: 'Ask STAFF-123456.' });
    expect(shown.body.text).toBe('Ask [employee].');
    const ask = (): Promise<Response> =>
      fetch(`${program.gatewayUrl}/acme/ask`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-spandrel-session-id': 'masked', ...place.gatewayHeaders },
        body: JSON.stringify({ engine: 'acme-1', question: 'Where is STAFF-123456?' }),
      });
    await (await ask()).text();
    await until(async () => (await api.spans('session_id=masked&status=completed')).length === 1);
    expect(await api.spans('session_id=masked')).toMatchObject([{ input: [{ content: 'Where is [employee]?' }] }]);
    expect((await put([])).status).toBe(200);
  });

  it('send their own headers from a connection, also those that config decides', async () => {
    const { api } = program;
    for (const [provider, headers] of [
      ['harbour', { 'x-harbour-key': 'harbour-key-1' }],
      ['harbour-team', { authorization: 'Bearer harbour-key-1', 'x-team': 'tides' }],
    ] as const) {
      const connection = { name: provider, provider, api_key: 'harbour-key-1' };
      const { body } = await api.post<{ id: string }>('/api/provider-connections', connection);
      await api.post(`/api/provider-connections/${body.id}/test`, {});
      expect(harbourCalls.at(-1)).toMatchObject({ url: '/v1/models', headers });
    }
    expect(program.output()).toContain('Calls to Harbour carry a team');
  });

  it('evaluate: the provider is called, the scorer scores with the config of the run', async () => {
    const { api } = program;
    const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
      name: 'acme',
      provider: 'acme',
      api_key: 'acme-key-1',
    });
    const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'tides' });
    await api.post(`/api/datasets/${dataset.id}/datapoints`, { kind: { Generic: { input: 'When is high water?' } } });
    const run = async (scoringConfig?: object): Promise<EvalRunResource> => {
      const { status, body } = await api.post<EvalRunResource>(`/api/datasets/${dataset.id}/eval`, {
        name: 'short answers',
        config: { connection_id: connection.id, model: 'acme-1' },
        scoring: 'MaxLength',
        scoring_config: scoringConfig,
      });
      expect([status, body.status]).toEqual([201, 'pending']);
      let ended = body;
      await until(async () => {
        ended = (await api.get<EvalRunResource>(`/api/eval/${body.id}`)).body;
        return ended.status === 'completed';
      });
      return ended;
    };
    expect((await run()).result_items).toMatchObject([
      { output: 'At noon.', score: 1, score_reason: '8 of 280 characters', tokens: 7, error: null },
    ]);
    expect((await run({ characters: 5 })).result_items).toMatchObject([
      { score: 0, score_reason: '8 of 5 characters' },
    ]);
    const refused = await api.post<Problem>(`/api/datasets/${dataset.id}/eval`, {
      name: 'x',
      config: { connection_id: connection.id, model: 'acme-1' },
      scoring: 'MaxLength',
      scoring_config: { characters: 0 },
    });
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'scoring_config.characters']);
  });

  describeBrokenPlugins(() => ({ place, program }));
});

describe('a scorer plugin in a file of its own', () => {
  it('is loaded, configured and scores', async () => {
    const entry = { use: join(folder, 'max-length.ts'), config: { characters: 3 } };
    const { scorers } = await loadPlugins([entry], createLogger('silent', 'test'));
    const scorer = scorers[0]!;
    expect(scorer.name).toBe('MaxLength');
    const score = (output: string, scoringConfig: Record<string, unknown> | null) => {
      const configured = scorer.configure(scoringConfig);
      if ('faults' in configured) return configured;
      return scorer.extension.score({
        input: '',
        output,
        expected: undefined,
        rubric: undefined,
        latencyMs: null,
        cost: null,
        config: configured.config,
        complete: () => Promise.reject(new Error('no judge')),
        embed: () => Promise.reject(new Error('no judge')),
        signal: new AbortController().signal,
      });
    };
    expect(await score('長崎🌊', null)).toEqual({ score: 1, reason: '3 of 3 characters' });
    expect(await score('ab', { characters: 1 })).toEqual({ score: 0, reason: '2 of 1 characters' });
    expect(await score('ab', { characters: 0 })).toEqual({
      faults: [{ path: 'characters', message: expect.any(String) }],
    });
  });
});

const { default: desk } = (await import(join(folder, 'desk.ts'))) as { default: DialectPlugin };

describeDialectContract(
  {
    plugin: desk,
    spans: [
      {
        name: 'a question',
        span: otelSpan({ attributes: DESK_ATTRIBUTES }),
        reading: {
          kind: { type: 'llm_call' },
          model: 'pilot-2',
          provider: 'harbour',
          usage: { inputTokens: 9, outputTokens: 3 },
          input: 'When is high water?',
          output: 'At noon.',
          session: 'Ada',
        },
      },
      {
        name: 'a step',
        span: otelSpan({ attributes: { 'desk.step': 'moor' } }),
        reading: { kind: { type: 'custom', kind: 'step' } },
      },
    ],
  },
  { describe, it },
);

const { default: employeeNumber } = (await import(join(folder, 'employee-number.ts'))) as { default: MaskerPlugin };

describeMaskerContract(
  {
    plugin: employeeNumber,
    configs: { accepted: [{}, { prefix: 'STAFF-' }], refused: [{ prefix: '' }, { prefix: 7 }, { digits: 6 }] },
    texts: [
      { text: 'EMP-123456 and EMP-12345, EMP-654321', values: ['EMP-123456', 'EMP-654321'] },
      { text: 'EMP-123456 and STAFF-123456', values: ['STAFF-123456'], config: { prefix: 'STAFF-' } },
    ],
  },
  { describe, it },
);

const { default: maxLength } = (await import(join(folder, 'max-length.ts'))) as { default: ScorerPlugin };

describeScorerContract(
  {
    plugin: maxLength,
    configs: { accepted: [{}, { characters: 5 }], refused: [{ characters: 0 }, { words: 1 }] },
    needsExpected: false,
    samples: [
      { name: 'a short answer', sample: { output: 'yes' }, expected: 1 },
      { name: 'a long answer', sample: { output: 'yes', config: { characters: 2 } }, expected: 0 },
    ],
  },
  { describe, it },
);
