import type { Draw } from './make-plan.ts';

/** JSON, or nearly, that takes long to read, to mask, to fit or to store for somebody who is not careful. */
export function hostileJson(draw: Draw): string {
  // Nearly all are small, so that what each does to the program can be distinguished from the load itself.
  const size = draw.chance(0.04) ? 1_000_000 + draw.below(6_000_000) : 1_000 + draw.below(200_000);
  const repeated = (text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);
  const inMessage = (text: string): string =>
    JSON.stringify({ model: 'm', name: 'n', messages: [{ role: 'user', content: text }], input: text });
  return draw.of<() => string>([
    () => `{"input":[${repeated('[],')}[]]}`,
    () => `{"model":"m","input":[${repeated('[1],')}[1]]}`,
    () => `{"model":"m","input":[${repeated('0,')}0]}`,
    () => `{"metadata":{${Array.from({ length: Math.min(80_000, size / 10) }, (_, n) => `"k${n}":0`).join(',')}}}`,
    () => '['.repeat(Math.min(size, 300_000)),
    () => `${'{"a":'.repeat(150 + draw.below(100))}1${'}'.repeat(150 + draw.below(100))}`,
    () =>
      inMessage(repeated(draw.of(['sk-', 'sk-_', 'sk--', 'a@', 'a.', '4111 ', '-', '+1 (', 'eyJ', 'Bearer ', 'key=']))),
    () => inMessage(repeated('x')),
    () => inMessage(repeated(draw.of(['\u0000', '\ud800', '\u202e', '"', '\\', '\n']))),
    () => `{"spans":[${repeated('{},')}{}]}`,
    () => `{"traces":[${repeated('{"id":"a"},')}{"id":"a"}]}`,
    () => `{"n":${'9'.repeat(Math.min(size, 100_000))}}`,
    () => `{"n":1e${'9'.repeat(50)},"m":-0.0,"__proto__":{"x":1},"constructor":{"prototype":1}}`,
    () => `{"model":"m","messages":${repeated('[{"role":"user","content":"x"},')}`,
    () => `{"resourceSpans":[${repeated('{"scopeSpans":[{"spans":[{}]}]},')}{}]}`,
    () => repeated('\xff\xfe'),
    () => repeated(' '),
    () => '',
  ])();
}

/** Header lines that no client would send. */
export function oddHeaders(draw: Draw): string {
  return draw.of<() => string>([
    () => `X: ${'x'.repeat(draw.below(120_000))}\r\n`,
    () => 'X: y\r\n'.repeat(draw.below(4_000)),
    () => `Cookie: ${Array.from({ length: draw.below(3_000) }, (_, n) => `c${n}=v${n}`).join('; ')}\r\n`,
    () => `Authorization: Bearer ${'sk-'.repeat(draw.below(10_000))}\r\n`,
    () =>
      `X-Forward-URL: ${draw.of(['', 'x', 'http://[', 'file:///etc/passwd', 'http://169.254.169.254/', `http://${'a.'.repeat(2_000)}/`])}\r\n`,
    () => `X-Spandrel-Capture: ${draw.of(['Off', 'Preview(3)', 'Preview(', 'x'.repeat(5_000)])}\r\n`,
    () => `X-Spandrel-Tags: ${'a,'.repeat(draw.below(5_000))}\r\n`,
    () => `traceparent: ${draw.of(['00-x-y-01', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`, 'x'.repeat(3_000)])}\r\n`,
    () =>
      `Connection: ${draw.of(['close, host', 'content-length', 'x-token, keep-alive', 'Upgrade', 'transfer-encoding'])}\r\n`,
    () => `Range: bytes=${'0-1,'.repeat(draw.below(2_000))}\r\n`,
    () => `Accept-Encoding: ${'gzip;q=0.1,'.repeat(draw.below(2_000))}\r\n`,
    () => `Content-Encoding: ${draw.of(['gzip', 'br', 'zstd', 'x', 'gzip, gzip'])}\r\n`,
    () => 'X\0Y: z\r\n',
    () => ' folded\r\n',
    () => 'Host: evil.example\r\n',
    () => `${'x'.repeat(draw.below(70_000))}: y\r\n`,
    () => `Cookie: ${'\xff'.repeat(200)}\r\n`,
  ])();
}

/** Bodies as clients send them, to be changed. */
export const WELL_FORMED_BODIES: readonly ((token: string) => { path: string; type: string; body: string })[] = [
  (token) => ({
    path: '/api/ingest',
    type: 'application/json',
    body: JSON.stringify({
      traces: [{ id: token, name: 'n', started_at: '2026-11-20T09:00:00.000Z', tags: ['a'], metadata: { x: 1 } }],
      spans: [
        {
          id: `${token}-s`,
          trace_id: token,
          name: 's',
          status: 'completed',
          started_at: '2026-11-20T09:00:00.000Z',
          ended_at: '2026-11-20T09:00:01.000Z',
          kind: { type: 'llm_call', provider: 'openai', model: 'm', input_tokens: 1, output_tokens: 2, cost: 0.1 },
          input: [{ role: 'user', content: 'Grüße' }],
          output: { text: 'x', finish_reason: 'stop' },
        },
      ],
    }),
  }),
  (token) => ({
    path: '/v1/traces',
    type: 'application/json',
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: token } }] },
          scopeSpans: [
            {
              scope: { name: 's' },
              spans: [
                {
                  traceId: '5b8efff798038103d269b633813fc60c',
                  spanId: 'eee19b7ec3c1b174',
                  name: 'chat',
                  kind: 3,
                  startTimeUnixNano: '1764000000000000000',
                  endTimeUnixNano: '1764000001000000000',
                  attributes: [{ key: 'gen_ai.request.model', value: { stringValue: 'm' } }],
                  status: { code: 1 },
                },
              ],
            },
          ],
        },
      ],
    }),
  }),
  // ExportTraceServiceRequest { resource_spans { scope_spans { spans { trace_id, span_id, name } } } } in protobuf.
  (token) => {
    const field = (tag: number, bytes: string): string => String.fromCharCode((tag << 3) | 2, bytes.length) + bytes;
    const span =
      field(1, '\x5b\x8e\xff\xf7\x98\x03\x81\x03\xd2\x69\xb6\x33\x81\x3f\xc6\x0c') +
      field(2, token.slice(0, 8)) +
      field(5, token);
    return { path: '/v1/traces', type: 'application/x-protobuf', body: field(1, field(2, field(2, span))) };
  },
  (token) => ({
    path: `/api/datasets/${token}/import`,
    type: 'multipart/form-data; boundary=x',
    body: `--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\ninput,expected_output\n"a ""b""",c\n1,2\n\r\n--x--\r\n`,
  }),
  (token) => ({
    path: `/api/datasets/${token}/import?filename=a.jsonl`,
    type: 'application/x-ndjson',
    body: `{"input":"a","expected":"b"}\n{"messages":[{"role":"user","content":"x"}]}\n`,
  }),
  (token) => ({
    path: '/mcp',
    type: 'application/json',
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_trace', arguments: { trace_id: token } },
    }),
  }),
  ...Object.entries<(token: string) => object>({
    scores: (token) => ({ name: '__proto__', trace_id: token, label: 'constructor', metadata: { a: [1] } }),
    'scoring-rules': (token) => ({
      name: token,
      scoring: 'Regex',
      scoring_config: { pattern: '(a|b)+c' },
      filters: { name_contains: 'n' },
    }),
    alerts: (token) => ({ name: token, measure: 'cost', window: '5m', condition: { op: '>', value: 1 } }),
    comments: (token) => ({ target_type: 'trace', target_id: token, text: '@ana `x`' }),
    boards: (token) => ({ name: token, figures: [{ title: 't', figure: 'cost', query: 'a=b' }] }),
    analytics: () => ({ group_by: 'auto', fill: true, split_by: 'metadata.x', percentiles: true, totals: true }),
    'analytics/query': () => ({ group_by: ['tag', 'metadata.__proto__'], bucket: 'day', filters: { score: ['a<1'] } }),
    replays: (token) => ({
      name: token,
      source: { filters: { model: 'm' }, sample: 3 },
      change: { connection_id: token },
      scoring: 'ExactMatch',
    }),
    try: (token) => ({ connection_id: token, model: 'm', messages: [{ role: 'user', content: 'x' }] }),
  }).map(([path, body]) => (token: string) => ({
    path: `/api/${path}`,
    type: 'application/json',
    body: JSON.stringify(body(token)),
  })),
  (token) => ({
    path: '/api/spans',
    type: 'application/json',
    body: JSON.stringify({
      id: token,
      trace_id: token,
      name: 'n',
      kind: { type: 'tool_call' },
      input: { a: [1, '2'] },
    }),
  }),
  (token) => ({
    path: '/v1/chat/completions',
    type: 'application/json',
    body: JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: token }] }],
      tools: [],
    }),
  }),
];

/** Bytes after so many random changes. */
export function mutated(draw: Draw, body: string, times: number): string {
  let text = Buffer.from(body).toString('latin1');
  for (let done = 0; done < times; done++) {
    const at = draw.below(text.length + 1);
    const length = draw.below(20);
    const [before, cut, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
    text = draw.of<() => string>([
      () => before + String.fromCharCode(draw.below(256)) + text.slice(at + 1),
      () => before + after,
      () => before + cut.repeat(2 + draw.below(30)) + after,
      () => before,
      () =>
        before +
        draw.of(['"', '{', '}', '[', ']', ',', '\0', '\xff', '1e999', 'null', '\r\n', '\\u0000', '--x']) +
        text.slice(at),
      () => text.replace(/"[^"]{1,20}":/, ''),
      () => text.replace(/:("[^"]*"|\d+)/, `:${draw.of(['null', '[]', '{}', '-1', '""', '1e400', 'true'])}`),
    ])();
  }
  return text;
}
