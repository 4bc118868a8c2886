/** A day of a support desk's assistant, as its application would have recorded it. */
import type { Api } from '../../support/api.ts';

const MINUTE_MS = 60_000;
const TRACES = 480;

interface Question {
  name: string;
  ask: string;
  tool: string;
  found: object;
  answer: string;
}

const QUESTIONS: readonly Question[] = [
  {
    name: 'answer a ticket',
    ask: 'My invoice of March shows the old address. Can you change it?',
    tool: 'find_invoice',
    found: { invoice: 'INV-2026-0311', status: 'sent', address: '12 Harbour Street' },
    answer: 'Yes. I changed the address on **INV-2026-0311** and sent it to you again.',
  },
  {
    name: 'track a parcel',
    ask: 'Where is my parcel? It should have been here on Tuesday.',
    tool: 'parcel_status',
    found: { parcel: 'PX-77812', at: 'Rotterdam', expected: '2026-11-24' },
    answer: 'Your parcel PX-77812 left Rotterdam this morning and arrives on **Tuesday, 24 November**.',
  },
  {
    name: 'cancel an order',
    ask: 'Please cancel my order of two lamps, I ordered them twice.',
    tool: 'find_orders',
    found: { orders: ['A-1009', 'A-1010'], cancellable: ['A-1010'] },
    answer: 'I cancelled **A-1010**; A-1009 with your two lamps is on its way.',
  },
  {
    name: 'summarise a call',
    ask: 'Summarise the call in two sentences for the next colleague.',
    tool: 'transcript',
    found: { minutes: 7, topic: 'refund', mood: 'friendly' },
    answer: 'The customer asks for a refund of a broken kettle. They prefer a voucher, and want an answer today.',
  },
];
const MODELS = [
  ['gpt-5.1', 'openai', 0.004],
  ['claude-sonnet-4-5', 'anthropic', 0.006],
  ['gpt-5.1-mini', 'openai', 0.0007],
] as const;

/** Records the day up to now: traces of an agent, its calls and its tool; some failed. */
export async function recordSupportDesk(api: Api): Promise<void> {
  const now = Date.now();
  for (let from = 0; from < TRACES; from += 120) {
    const numbers = Array.from({ length: 120 }, (_, n) => from + n);
    const { status, body } = await api.post<{ rejected: unknown[] }>('/api/ingest', {
      traces: numbers.map((n) => traceOf(n, startOf(now, n))),
      spans: numbers.flatMap((n) => spansOf(n, startOf(now, n))),
    });
    if (status !== 200 || body.rejected.length > 0) throw new Error(JSON.stringify(body));
  }
}

/** More by day than by night, and never twice in the same rhythm. */
const startOf = (now: number, n: number): number =>
  now - (n + 0.3) * MINUTE_MS * (1.6 + Math.sin(n / 40)) - ((n * 7_919) % 47) * 1_000;
const at = (ms: number): string => new Date(ms).toISOString();
const isFailed = (n: number): boolean => n % 23 === 4;
const questionOf = (n: number): Question => QUESTIONS[(n * 7 + Math.floor(n / 5)) % QUESTIONS.length]!;

const traceOf = (n: number, start: number): object => ({
  ...{ id: `desk-${n}`, name: questionOf(n).name, started_at: at(start) },
  ...{ session_id: `ticket-${1_200 - Math.floor(n / 3)}`, user_id: ['ada', 'grace', 'linus', 'barbara'][n % 4] },
  tags: n % 5 === 0 ? ['production', 'vip'] : ['production'],
});

function spansOf(n: number, start: number): object[] {
  const { ask, tool, found, answer } = questionOf(n);
  const [model, provider, price] = MODELS[n % 7 === 0 ? 1 : n % 3 === 0 ? 2 : 0];
  const own = { trace_id: `desk-${n}` };
  const first = 600 + ((n * 131) % 900);
  const second = 900 + ((n * 197) % 2_400);
  const lookup = 120 + ((n * 53) % 300);
  const end = start + 40 + first + lookup + second + 60;
  const system = { role: 'system', content: 'You help customers of a shop. Be brief and friendly.' };
  const call = { id: `call_${n}`, type: 'function', function: { name: tool, arguments: `{"customer":${4_000 + n}}` } };
  const asked = [system, { role: 'user', content: ask }];
  const kind = (input: number, output: number): object => ({
    ...{ type: 'llm_call', model, provider, input_tokens: input, output_tokens: output },
    cost: (price * (input + 4 * output)) / 1_000,
  });
  const metadata = { time_to_first_token_ms: 180 + (n % 90) };
  const failure = isFailed(n) ? { status: { failed: { error: '429 the model is overloaded, try again later' } } } : {};
  return [
    {
      ...{ ...own, id: `desk-${n}-root`, name: questionOf(n).name, kind: { type: 'agent' }, started_at: at(start) },
      ...{ ended_at: at(end), input: ask, output: isFailed(n) ? null : answer, ...failure },
    },
    {
      ...{ ...own, id: `desk-${n}-plan`, parent_id: `desk-${n}-root`, name: model, kind: kind(420 + (n % 80), 31) },
      ...{ started_at: at(start + 40), ended_at: at(start + 40 + first), input: asked },
      ...{ output: { text: '', finish_reason: 'tool_calls', tool_calls: [call] }, metadata },
    },
    {
      ...{
        ...own,
        id: `desk-${n}-tool`,
        parent_id: `desk-${n}-root`,
        name: tool,
        kind: { type: 'tool_call', name: tool },
      },
      ...{ started_at: at(start + 45 + first), ended_at: at(start + 45 + first + lookup), output: found },
      input: { customer: 4_000 + n },
    },
    ...['customers', 'orders'].map((table, part) => ({
      ...{ ...own, id: `desk-${n}-${table}`, parent_id: `desk-${n}-tool`, name: `select ${table}` },
      ...{ kind: { type: 'custom', kind: 'database' }, status: 'completed' },
      started_at: at(start + 50 + first + Math.round((part * lookup) / 2)),
      ended_at: at(start + 48 + first + Math.round(((part + 1) * lookup) / 2)),
    })),
    {
      ...{ ...own, id: `desk-${n}-answer`, parent_id: `desk-${n}-root`, name: model, kind: kind(610 + (n % 200), 74) },
      ...{ started_at: at(start + 55 + first + lookup), ended_at: at(end - 40), ...failure },
      input: [
        ...asked,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: JSON.stringify(found) },
      ],
      ...{ output: isFailed(n) ? null : { text: answer, finish_reason: 'stop' }, metadata },
    },
  ];
}
