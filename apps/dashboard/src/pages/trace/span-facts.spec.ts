import { describe, expect, it } from '@jest/globals';
import { spanFacts, tokensText, traceFacts } from './span-facts.js';
import { kindWord } from '../../features/kind-words.js';
import { spanOf } from './fixtures/spans.js';

describe('spanFacts', () => {
  const span = spanOf('s', null, 0, 5, {
    kind: {
      type: 'llm_call',
      model: 'm',
      provider: 'p',
      input_tokens: 1200,
      output_tokens: 0,
      cached_input_tokens: null,
    },
    metadata: { duration_ms: 1234, total_tokens: 1200, cost: 0.000_001_5 },
  });

  it('names what is known, in one order', () => {
    expect(spanFacts(span, { timeToFirstTokenMs: 80, finishReason: 'stop' })).toEqual([
      { name: 'Kind', value: 'LLM call' },
      { name: 'Model', value: 'm' },
      { name: 'Provider', value: 'p' },
      { name: 'Tokens in', value: '1,200' },
      { name: 'Tokens out', value: '0' },
      { name: 'Cost', value: '$0.0000015', exact: '$0.0000015' },
      { name: 'Duration', value: '1.23 s', exact: '1,234 ms' },
      { name: 'Time to first token', value: '80 ms', exact: '80 ms' },
      { name: 'Finish reason', value: 'stop' },
    ]);
    expect(spanFacts(spanOf('r', null, 0, null), null)).toEqual([
      { name: 'Kind', value: 'Step' },
      { name: 'Duration', value: 'Running' },
    ]);
  });

  it('names what else a call used, as far as it did', () => {
    const kind = {
      ...{ type: 'llm_call', model: 'm', cache_write_tokens: 9, web_search_requests: 2, service_tier: 'flex' },
      ...{ input_audio_tokens: 3, output_audio_tokens: 4, input_image_tokens: 5, output_image_tokens: 6 },
    };
    expect(spanFacts(spanOf('s', null, 0, null, { kind }), null).slice(2)).toEqual([
      { name: 'Written to cache', value: '9' },
      { name: 'Audio tokens in', value: '3' },
      { name: 'Audio tokens out', value: '4' },
      { name: 'Image tokens in', value: '5' },
      { name: 'Image tokens out', value: '6' },
      { name: 'Web searches', value: '2' },
      { name: 'Service tier', value: 'flex' },
      { name: 'Duration', value: 'Running' },
    ]);
  });

  it('shows tokens in one column', () => {
    expect(tokensText(span)).toBe('1,200 → 0');
    expect(tokensText({ kind: { type: 'x' }, metadata: { total_tokens: 7 } })).toBe('7');
    expect(tokensText({ kind: { type: 'x' }, metadata: {} })).toBe('–');
  });
});

describe('traceFacts', () => {
  const trace = {
    ...{ id: 't', name: null, status: 'completed', started_at: '2026-11-22T12:00:00Z', duration_ms: 5 },
    ...{ total_cost: null, unpriced_count: 0, total_tokens: 0, span_count: 1, error_count: 0 },
    ...{ session_id: 's', user_id: ' u', tags: ['beta', 'a&b'], metadata: {} },
  } as never as Parameters<typeof traceFacts>[0];
  const named = (name: string, given = trace) => traceFacts(given, 'utc').find((fact) => fact.name === name);

  it('lead to the traces of the same user and tags, and to the session', () => {
    expect(named('User')).toEqual({ name: 'User', value: '" u"', to: '/traces', search: { user_id: ' u' } });
    expect(named('Session')).toEqual({ name: 'Session', value: 's', to: '/sessions/s' });
    expect(named('Tags')?.links).toEqual([
      { value: 'beta', to: '/traces', search: { tag: 'beta' } },
      { value: 'a&b', to: '/traces', search: { tag: 'a&b' } },
    ]);
  });

  it('have the first short members of the metadata', () => {
    const metadata = { environment: 'staging', long: 'x'.repeat(80), build: 7, flags: [1], release: '2.1' };
    const shown = traceFacts({ ...trace, metadata } as never, 'utc').slice(traceFacts(trace, 'utc').length);
    expect(shown).toEqual([
      { name: 'environment', value: 'staging' },
      { name: 'build', value: '7' },
      { name: 'flags', value: '[\n  1\n]' },
    ]);
  });
});

describe('kindWord', () => {
  it('calls kinds what people call them', () => {
    const kinds = [{ type: 'llm_call' }, { type: 'tool_call' }, { type: 'custom' }, { type: 'custom', kind: 'agent' }];
    expect(kinds.map((kind) => kindWord({ kind }))).toEqual(['LLM call', 'Tool', 'Step', 'Agent']);
    expect([{ type: 'custom', kind: 'chain' }, { type: 'constructor' }].map((kind) => kindWord({ kind }))).toEqual([
      'Step',
      'constructor',
    ]);
  });
});
