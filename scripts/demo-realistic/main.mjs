/**
 * Fills a running server with traffic that looks like a company's: eight days, prompts of 25,000 tokens, markdown, images,
 * tools, errors, five users, three releases; and a dataset with a run of each release. The same each time but for the dates.
 *
 * Usage: npm run demo:realistic -- [--url <server>] [--key <API key>] [--sessions <conversations>]
 */
import '../../bin/require-node.mjs';
import { parseArgs } from 'node:util';
import { DAYS, makeTraffic, RELEASES } from './traces.mjs';
import { QUESTIONS } from './texts.mjs';

/** Traces of one request: some carry a prompt of 100 KB in several spans. */
const BATCH = 20;
const DATASET = {
  name: 'Questions of travellers',
  description:
    'What travellers ask most, with the answers that were approved. Judge whether the facts are right; the tone is checked elsewhere.',
};

/**
 * @param server `{ url, key? }`. @param options `sessions`, 64 by default; `now` in ms since the epoch.
 * @returns how many traces and spans were sent, the dataset's id and the ids of its runs, oldest release first.
 * @throws Error for what the server refuses.
 */
export async function recordRealistic(server, { sessions = 64, now = Date.now() } = {}) {
  const traffic = makeTraffic(now, sessions, seededRandom(7));
  for (let from = 0; from < traffic.length; from += BATCH) {
    const batch = traffic.slice(from, from + BATCH);
    const body = { traces: batch.map(({ trace }) => trace), spans: batch.flatMap(({ spans }) => spans) };
    const { rejected } = await post(server, '/api/ingest', body);
    if (rejected.length > 0)
      throw new Error(`the server rejected ${rejected.length} items: ${JSON.stringify(rejected[0])}`);
  }
  const spans = traffic.reduce((sum, { spans: own }) => sum + own.length, 0);
  return { traces: traffic.length, spans, ...(await evaluateReleases(server)) };
}

/** A dataset of 40 questions in five categories, eight of them without an expected value, and a run of each release. */
async function evaluateReleases(server) {
  const { id: dataset } = await post(server, '/api/datasets', DATASET);
  const datapoints = [];
  for (let n = 0; n < 40; n += 1) {
    const { category, ask, answer } = QUESTIONS[n % QUESTIONS.length];
    const kind = {
      Generic: { input: `${ask} (booking HF-${77_800 + n})`, ...(n % 5 !== 4 && { expected_output: answer }) },
    };
    const { id } = await post(server, `/api/datasets/${dataset}/datapoints`, { kind, metadata: { category } });
    datapoints.push({ id, answer, category });
  }
  const runs = [];
  for (const [release, name] of RELEASES.entries()) {
    const { id } = await post(server, `/api/datasets/${dataset}/eval`, {
      ...{
        name: `release ${name}`,
        execution: 'external',
        config: { model: release === 0 ? 'gpt-5.1' : 'claude-sonnet-4-5' },
      },
      scorers: [
        { scoring: 'External', name: 'correct' },
        { scoring: 'External', name: 'concise' },
      ],
      metadata: { release: name, branch: 'main' },
    });
    const results = datapoints.map(({ id: datapoint, answer, category }, n) => ({
      ...{
        datapoint_id: datapoint,
        output: release < n % 4 ? `${answer.split('\n')[0]} Please call us for the rest.` : answer,
      },
      scores: {
        correct: release < n % 4 || (release === 2 && category === 'pets') ? 0 : 1,
        concise: ((n * 7 + release * 3) % 10) / 10,
      },
      ...{ latency_ms: 900 + ((n * 131 + release * 70) % 1_800), input_tokens: 6_200 + n, output_tokens: 160 + n },
    }));
    await post(server, `/api/eval/${id}/results`, { results });
    runs.push(id);
  }
  return { dataset, runs };
}

async function post({ url, key }, path, body) {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
  const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { url: { type: 'string' }, key: { type: 'string' }, sessions: { type: 'string', default: '64' } },
  });
  const sessions = Number(values.sessions);
  if (!Number.isInteger(sessions) || sessions < 1) throw new Error('--sessions needs a whole number above 0');
  const server = {
    url: values.url ?? process.env.SPANDREL_URL ?? 'http://127.0.0.1:3000',
    key: values.key ?? process.env.SPANDREL_API_KEY,
  };
  const { traces, spans } = await recordRealistic(server, { sessions });
  process.stdout.write(`Recorded ${traces} traces with ${spans} spans over ${DAYS} days. See ${server.url}/traces\n`);
}
