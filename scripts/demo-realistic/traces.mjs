/** Eight days of traffic of a ferry company's assistants, as their applications would have recorded it. */
import { drawTicket } from './picture.mjs';
import { FAILURES, INCIDENT_REPORT, PATCH, QUESTIONS, writeHandbook } from './texts.mjs';

const DAY_MS = 86_400_000;
export const DAYS = 8;
const USERS = [
  'ada@halyard.example',
  'grace@halyard.example',
  'linus@halyard.example',
  'margaret@halyard.example',
  'tim@halyard.example',
];
/** The newer ones replace the older ones over the days. */
export const RELEASES = ['2.3.0', '2.4.0', '2.5.0-rc.1'];

/**
 * @param now ms since the epoch; everything ends before it. @param sessions how many conversations of travellers there are.
 * @param random from 0 to 1, seeded by the caller.
 * @returns traces with their spans, in the shapes of `POST /api/ingest`, oldest first.
 */
export function makeTraffic(now, sessions, random) {
  const made = [];
  for (let n = 0; n < sessions; n += 1) {
    const start = pickStart(now, random);
    const context = {
      start,
      number: n,
      random,
      user: USERS[skewed(random, USERS.length)],
      release: releaseAt(now, start, random),
    };
    made.push(...answerTraveller(context));
    if (n % 4 === 1) made.push(reviewPatch(context));
    if (n % 5 === 2) made.push(readTicket(context));
    if (n % 6 === 3) made.push(planWeek(context));
    if (n % 9 === 4) made.push(writeReport(context));
    if (n % 9 === 7) made.push(indexDocuments(context));
  }
  return made.sort((a, b) => Date.parse(a.trace.started_at) - Date.parse(b.trace.started_at));
}

/** More by day than by night, and up to ten minutes ago, so that all of it has ended. */
function pickStart(now, random) {
  for (;;) {
    const start = now - 600_000 - random() * (DAYS * DAY_MS - 1_200_000);
    const hour = new Date(start).getUTCHours();
    if (random() < (hour >= 7 && hour <= 20 ? 1 : 0.15)) return start;
  }
}

const skewed = (random, count) => Math.min(count - 1, Math.floor(random() ** 1.7 * count));
const releaseAt = (now, start, random) =>
  RELEASES[Math.min(2, Math.floor(((start - now) / DAY_MS + DAYS) / 3.2 + random() * 0.3))];
const between = (random, low, high) => Math.round(low + random() * (high - low));
const countTokens = (value) => Math.ceil((typeof value === 'string' ? value : JSON.stringify(value)).length / 4.1);

const HANDBOOKS = [writeHandbook(480), writeHandbook(24)];
const TICKET = drawTicket();

const MODELS = {
  large: { model: 'claude-sonnet-4-5', provider: 'anthropic' },
  main: { model: 'gpt-5.1', provider: 'openai' },
  small: { model: 'gpt-4.1-mini', provider: 'openai' },
  vision: { model: 'gemini-2.5-flash', provider: 'google' },
};

/** A trace under construction: spans follow one another by a clock that each of them moves on. */
class Recording {
  spans = [];

  constructor({ start, user, release, random }, id, trace) {
    Object.assign(this, { clock: start, random, id });
    const environment = random() < 0.12 ? 'staging' : 'production';
    this.trace = {
      id,
      started_at: at(start),
      user_id: user,
      tags: [environment],
      metadata: { release, environment, region: 'eu-west-1' },
      ...trace,
    };
  }

  /** Adds a span that lasts `ms`, within the spans whose ids `inside` gives. */
  add({ name, kind, ms, inside, input = null, output = null, error, metadata }) {
    const span = {
      id: `${this.id}-${this.spans.length}`,
      trace_id: this.id,
      parent_id: inside ?? null,
      name,
      kind,
      input,
      output,
      metadata,
    };
    Object.assign(span, {
      started_at: at(this.clock),
      ended_at: at(this.clock + ms),
      status: error ? { failed: { error } } : 'completed',
    });
    this.spans.push(span);
    this.clock += ms + 4;
    return span;
  }

  /** Adds a span that others are inside of; `end` gives it its end and its output. */
  open({ name, kind, inside, input }) {
    const span = this.add({ name, kind, ms: 0, inside, input });
    const end = (output, error) =>
      Object.assign(span, { output, ended_at: at(this.clock), ...(error && { status: { failed: { error } } }) });
    return { id: span.id, end };
  }

  /** Adds a call of a model. @param cached share of the input that comes from the provider's cache. */
  call({ model, inside, messages, output, cached = 0, error, images = 0, reasoning = 0, name = model.model }) {
    const asked = countTokens(JSON.stringify(messages).replaceAll(/"data:[^"]*"/gu, '')) + images * 258;
    const answered = error ? 0 : countTokens(output) + reasoning;
    const ms = error
      ? between(this.random, 150, 900)
      : 350 + Math.round(asked / 40) + answered * between(this.random, 8, 14);
    const usage = {
      input_tokens: asked,
      output_tokens: answered,
      ...(cached > 0 && { cached_input_tokens: Math.floor(asked * cached) }),
      ...(reasoning > 0 && { reasoning_tokens: reasoning }),
    };
    return this.add({
      ...{
        name,
        kind: { type: 'llm_call', ...model, ...usage },
        ms,
        inside,
        input: messages,
        output: error ? null : output,
        error,
      },
      metadata: { time_to_first_token_ms: Math.round(ms / 4), temperature: 0.2 },
    });
  }

  end = () => ({ trace: this.trace, spans: this.spans });
}

const at = (ms) => new Date(ms).toISOString();
const toolCall = (id, name, input) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(input) } });

/** A conversation of one to three turns: retrieval, a tool, and an answer in markdown; some fail and are asked again. */
function answerTraveller(context) {
  const { number, random } = context;
  const question = QUESTIONS[number % QUESTIONS.length];
  const system = { role: 'system', content: HANDBOOKS[number % 3 === 0 ? 0 : 1] };
  const turns = 1 + skewed(random, 3);
  const made = [];
  let messages = [system];
  for (let turn = 0; turn < turns; turn += 1) {
    const ask =
      turn === 0 ? question.ask : turn === 1 ? question.next : 'Thank you. Please send me all of that by email.';
    const answer =
      turn === 0
        ? question.answer
        : turn === 1
          ? question.nextAnswer
          : 'I have sent it to the address of your booking. **Have a good crossing!**';
    const recording = new Recording(
      { ...context, start: context.start + turn * between(random, 40_000, 90_000) },
      `support-${number}-${turn}`,
      {
        name: 'answer a traveller',
        session_id: `conversation-${1_000 + number}`,
      },
    );
    recording.trace.tags.push(question.category);
    const failure = random() < 0.09 ? FAILURES[number % FAILURES.length] : undefined;
    messages = [...messages, { role: 'user', content: ask }];
    recordTurn(recording, { question, messages, ask, answer, failure, isFirst: turn === 0 });
    made.push(recording.end());
    messages = [...messages, { role: 'assistant', content: answer }];
    if (failure) break;
  }
  return made;
}

function recordTurn(recording, { question, messages, ask, answer, failure, isFirst }) {
  const agent = recording.open({ name: 'support agent', kind: { type: 'agent' }, input: ask });
  const inside = agent.id;
  const passages = question.category === 'refund' ? ['rule 1', 'rule 4'] : [`rules about ${question.category}`];
  recording.add({
    name: 'search the handbook',
    kind: { type: 'retrieval' },
    ms: between(recording.random, 25, 140),
    inside,
    input: ask,
    output: { passages },
  });
  const model = recording.trace.metadata.release === RELEASES[0] ? MODELS.main : MODELS.large;
  let asked = messages;
  if (isFirst) {
    const call = toolCall(`call_${recording.id}`, question.tool, { id: recording.id });
    recording.call({
      model,
      inside,
      messages,
      output: { text: '', tool_calls: [call], finish_reason: 'tool_calls' },
      cached: 0.7,
    });
    const timeout = failure?.startsWith('Timeout') ? failure : undefined;
    const found = timeout ? null : question.found;
    recording.add({
      name: question.tool,
      kind: { type: 'tool_call', name: question.tool },
      ms: timeout ? 10_000 : between(recording.random, 60, 800),
      inside,
      input: { id: recording.id },
      output: found,
      error: timeout,
    });
    asked = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: JSON.stringify(found) },
    ];
  }
  recording.call({
    model,
    inside,
    messages: asked,
    output: { text: answer, finish_reason: 'stop' },
    cached: 0.85,
    error: failure,
  });
  if (!failure)
    recording.call({
      model: MODELS.small,
      inside,
      messages: [{ role: 'user', content: `Is this answer friendly? Say yes or no.\n\n${answer}` }],
      output: { text: 'yes' },
      name: 'check the tone',
    });
  agent.end(failure ? null : answer, failure);
}

/** A coding agent: many steps, a sub-agent that runs tests, long outputs of tools, reasoning. */
function reviewPatch(context) {
  const { number, random } = context;
  const recording = new Recording(context, `review-${number}`, { name: 'review a pull request' });
  recording.trace.tags.push('code');
  const agent = recording.open({
    name: 'reviewer',
    kind: { type: 'agent' },
    input: { pull_request: 400 + number, patch: PATCH },
  });
  const inside = agent.id;
  let messages = [
    { role: 'system', content: 'You review changes to the booking service. Read before you judge; run the tests.' },
    { role: 'user', content: `Review this change:\n\n\`\`\`diff\n${PATCH}\n\`\`\`` },
  ];
  const steps = between(random, 3, 9);
  for (let step = 0; step < steps; step += 1) {
    const file = `src/pricing/part-${step}.ts`;
    const call = toolCall(`call_${recording.id}_${step}`, 'read_file', { path: file });
    recording.call({
      model: MODELS.large,
      inside,
      messages,
      output: { text: '', tool_calls: [call], finish_reason: 'tool_calls' },
      cached: step === 0 ? 0 : 0.9,
      reasoning: between(random, 40, 400),
    });
    const content = Array.from(
      { length: 60 },
      (_, line) => `export const RATE_${step}_${line} = ${(line * 7 + step) / 100};`,
    ).join('\n');
    recording.add({
      name: 'read_file',
      kind: { type: 'tool_call', name: 'read_file' },
      ms: between(random, 2, 30),
      inside,
      input: { path: file },
      output: content,
    });
    messages = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content },
    ];
  }
  const tester = recording.open({
    name: 'tester',
    kind: { type: 'agent' },
    inside,
    input: 'run the tests of src/pricing',
  });
  const isRed = number % 8 === 1;
  recording.add({
    name: 'run_tests',
    kind: { type: 'tool_call', name: 'run_tests' },
    ms: between(random, 4_000, 22_000),
    inside: tester.id,
    input: { filter: 'pricing' },
    output: isRed ? null : '214 passed',
    error: isRed
      ? 'exit code 1: 2 failed, 212 passed\n  ✕ vehicleLength › adds the carrier\n    expected 6.1, received 5.4'
      : undefined,
  });
  tester.end(isRed ? 'two tests fail' : 'all tests pass');
  const verdict = `## ${isRed ? 'Changes needed' : 'Looks good'}\n\n- The carrier is added to the length, as rule 2 of the handbook asks.\n- \`vehicle.carrier.depth\` may be \`undefined\` for bookings made earlier than 2024.\n\n\`\`\`ts\nconst carrier = vehicle.carrier?.depth ?? 0;\n\`\`\``;
  recording.call({
    model: MODELS.large,
    inside,
    messages: [...messages, { role: 'user', content: isRed ? 'Two tests fail.' : 'All tests pass.' }],
    output: { text: verdict, finish_reason: 'stop' },
    cached: 0.9,
    reasoning: between(random, 200, 900),
  });
  agent.end(verdict);
  return recording.end();
}

/** A picture is read into JSON, and sometimes the JSON is none. */
function readTicket(context) {
  const recording = new Recording(context, `ticket-${context.number}`, {
    name: 'read a photo of a ticket',
    session_id: `conversation-${1_000 + context.number}`,
  });
  const isBroken = context.number % 15 === 7;
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is on this boarding pass? Answer as JSON with booking, route and time.' },
        { type: 'image_url', image_url: { url: TICKET } },
      ],
    },
  ];
  const text = isBroken
    ? 'Sure! Here is the JSON: {booking: HF-'
    : '{"booking":"HF-77812","route":"Holyhead–Dublin","time":"14:10"}';
  recording.call({
    model: MODELS.vision,
    messages,
    output: { text, finish_reason: isBroken ? 'length' : 'stop' },
    images: 1,
  });
  recording.add({
    name: 'parse the answer',
    kind: { type: 'custom', kind: 'parser' },
    ms: 1,
    input: text,
    output: isBroken ? null : JSON.parse(text),
    error: isBroken ? 'SyntaxError: the answer is no JSON' : undefined,
  });
  return recording.end();
}

/** Three agents under a planner, two of them with tools. */
function planWeek(context) {
  const recording = new Recording(context, `plan-${context.number}`, { name: "plan the fleet's week" });
  recording.trace.tags.push('agents');
  const planner = recording.open({ name: 'planner', kind: { type: 'agent' }, input: 'Plan next week for four ships.' });
  const reports = [];
  for (const [name, tool, found] of [
    ['weather agent', 'get_forecast', 'Force 9 on Thursday'],
    ['maintenance agent', 'get_checks', 'HF Skerry: engine check due'],
    ['crew agent', 'get_rosters', 'Two masters on leave'],
  ]) {
    const agent = recording.open({ name, kind: { type: 'agent' }, inside: planner.id, input: 'next week' });
    const call = toolCall(`call_${recording.id}_${tool}`, tool, { week: 49 });
    const messages = [{ role: 'user', content: `What matters for next week? Use ${tool}.` }];
    recording.call({
      model: MODELS.small,
      inside: agent.id,
      messages,
      output: { text: '', tool_calls: [call], finish_reason: 'tool_calls' },
    });
    recording.add({
      name: tool,
      kind: { type: 'tool_call', name: tool },
      ms: between(recording.random, 80, 1_200),
      inside: agent.id,
      input: { week: 49 },
      output: { found },
    });
    recording.call({
      model: MODELS.small,
      inside: agent.id,
      messages: [...messages, { role: 'tool', tool_call_id: call.id, content: found }],
      output: { text: `${found}; plan around it.` },
    });
    agent.end(found);
    reports.push(found);
  }
  const plan = `### Next week\n\n| day | HF Skerry | HF Lundy |\n| --- | --- | --- |\n| Wed | sails | sails |\n| Thu | **in port** | **in port** |\n| Fri | engine check | sails |\n\nBecause: ${reports.join('; ')}.`;
  recording.call({
    model: MODELS.main,
    inside: planner.id,
    messages: [{ role: 'user', content: `Plan the week from these reports:\n- ${reports.join('\n- ')}` }],
    output: { text: plan, finish_reason: 'stop' },
    reasoning: 640,
  });
  planner.end(plan);
  return recording.end();
}

/** One call with a very long input and a long answer. */
function writeReport(context) {
  const recording = new Recording(context, `report-${context.number}`, { name: 'write an incident report' });
  const log = Array.from(
    { length: 900 },
    (_, n) =>
      `09:${10 + Math.floor(n / 20)}:${String((n * 3) % 60).padStart(2, '0')} booking-api WARN query took ${200 + ((n * 37) % 7_000)} ms, connections ${30 + (n % 11)}/40`,
  ).join('\n');
  recording.call({
    model: MODELS.large,
    messages: [
      { role: 'system', content: 'Write the report of an incident from its log.' },
      { role: 'user', content: log },
    ],
    output: { text: INCIDENT_REPORT, finish_reason: 'stop' },
    reasoning: 1_200,
  });
  return recording.end();
}

/** Embeddings of the handbook, in batches. */
function indexDocuments(context) {
  const recording = new Recording(context, `index-${context.number}`, { name: 'index documents', user_id: null });
  const job = recording.open({
    name: 'index documents',
    kind: { type: 'custom', kind: 'job' },
    input: { documents: 6 },
  });
  for (let batch = 0; batch < 6; batch += 1) {
    const input = Array.from(
      { length: 8 },
      (_, n) => `Rule ${batch * 8 + n + 1}: ${QUESTIONS[n % QUESTIONS.length].answer}`,
    );
    recording.add({
      name: 'text-embedding-3-small',
      kind: {
        type: 'llm_call',
        model: 'text-embedding-3-small',
        provider: 'openai',
        input_tokens: countTokens(input),
        output_tokens: 0,
      },
      ms: between(recording.random, 90, 300),
      inside: job.id,
      input,
      output: { embeddings: input.length },
    });
  }
  job.end({ indexed: 48 });
  return recording.end();
}
