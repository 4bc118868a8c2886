/**
 * Says what the rubrics of LlmJudge are worth with a model: has it judge the labelled outputs of
 * plugins/scoring/llm-judge/fixtures/labelled.json on a running server, as external runs, and compares its verdicts with the
 * labels (docs/plugins.md#rubrics-by-name).
 *
 * Usage: measure-rubrics.mjs --connection <name or id> [--model <model>] [--url <server>] [--key <API key>]
 *        [--rubric <name>]… [--keep] [--json]. With --keep the datasets and runs stay, to be looked at.
 */
import '../bin/require-node.mjs';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** The score from which an output counts as judged good. */
const GOOD_FROM = 0.5;

const labelled = JSON.parse(
  readFileSync(new URL('../plugins/scoring/llm-judge/fixtures/labelled.json', import.meta.url), 'utf8'),
);

/**
 * Has the labelled outputs judged.
 * @param server `{ url, key? }`. @param judge `{ connection, model? }`, by name or id of the connection.
 * @returns one entry a rubric, see {@link rateVerdicts}. @throws Error for what the server refuses.
 */
export async function measureRubrics(server, judge, { rubrics = Object.keys(labelled), keep = false } = {}) {
  const { connections } = await call(server, 'GET', '/api/provider-connections');
  const connection = connections.find(({ id, name }) => id === judge.connection || name === judge.connection);
  if (!connection)
    throw new Error(`there is no connection ${judge.connection}: ${connections.map(({ name }) => name).join(', ')}`);
  const measured = [];
  for (const rubric of rubrics) {
    if (!labelled[rubric]) throw new Error(`there is no rubric ${rubric}: ${Object.keys(labelled).join(', ')}`);
    const verdicts = await judgeOutputs(server, { connection_id: connection.id, model: judge.model }, rubric, keep);
    measured.push({ rubric, ...rateVerdicts(verdicts) });
  }
  return measured;
}

/** @returns `{ good, score }` for each labelled output; the score is `null` where the judge gave none. */
async function judgeOutputs(server, judge, rubric, keep) {
  const samples = labelled[rubric];
  const { id: dataset } = await call(server, 'POST', '/api/datasets', { name: `rubric ${rubric}` });
  try {
    const results = [];
    for (const { input, output } of samples) {
      const datapoint = { kind: { Generic: { input } } };
      const { id } = await call(server, 'POST', `/api/datasets/${dataset}/datapoints`, datapoint);
      results.push({ datapoint_id: id, output });
    }
    const { id: run } = await call(server, 'POST', `/api/datasets/${dataset}/eval`, {
      ...{ name: `rubric ${rubric}`, execution: 'external', config: { judge } },
      ...{ scoring: 'LlmJudge', scoring_config: { rubric } },
    });
    await call(server, 'POST', `/api/eval/${run}/results`, { results });
    for (;;) {
      const { status } = await call(server, 'GET', `/api/eval/${run}?items=none`);
      if (status === 'completed') break;
      if (status !== 'pending' && status !== 'running') throw new Error(`the run of ${rubric} is ${status}`);
      await pause(250);
    }
    const { result_items: items } = await call(server, 'GET', `/api/eval/${run}`);
    const scores = new Map(items.map(({ datapoint_id: id, score }) => [id, score]));
    return samples.map(({ good }, at) => ({ good, score: scores.get(results[at].datapoint_id) ?? null }));
  } finally {
    if (!keep) await call(server, 'DELETE', `/api/datasets/${dataset}`);
  }
}

/**
 * How well scores agree with labels; outputs without a score are counted as `unscored` and left out.
 * @returns `kappa` as Cohen (1960) has it; `null` where both always say the same.
 */
export function rateVerdicts(verdicts) {
  const scored = verdicts.filter(({ score }) => score !== null);
  const share = (some) => (scored.length === 0 ? null : some.length / scored.length);
  const mean = (some) => (some.length === 0 ? null : some.reduce((sum, { score }) => sum + score, 0) / some.length);
  const isPassed = ({ score }) => score >= GOOD_FROM;
  const [good, bad] = [scored.filter((one) => one.good), scored.filter((one) => !one.good)];
  const agreement = share(scored.filter((one) => isPassed(one) === one.good));
  const [passed, labelledGood] = [share(scored.filter(isPassed)), share(good)];
  const chance = passed * labelledGood + (1 - passed) * (1 - labelledGood);
  return {
    outputs: verdicts.length,
    unscored: verdicts.length - scored.length,
    agreement,
    bad_passed: bad.filter(isPassed).length,
    good_failed: good.filter((one) => !isPassed(one)).length,
    kappa: agreement === null || chance === 1 ? null : (agreement - chance) / (1 - chance),
    mean_good: mean(good),
    mean_bad: mean(bad),
  };
}

async function call({ url, key }, method, path, body) {
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { authorization: `Bearer ${key}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok)
    throw new Error(
      `${method} ${path}: ${response.status} ${answer.detail ?? ''} ${JSON.stringify(answer.errors ?? '')}`,
    );
  return answer;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      connection: { type: 'string' },
      model: { type: 'string' },
      url: { type: 'string', default: process.env['SPANDREL_API_URL'] ?? 'http://127.0.0.1:3000' },
      key: { type: 'string', default: process.env['SPANDREL_API_KEY'] },
      rubric: { type: 'string', multiple: true },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.connection === undefined) {
    process.stderr.write('--connection is missing: the name of a provider connection of the server\n');
    process.exit(2);
  }
  const { url, key, connection, model, rubric: rubrics, keep } = values;
  const measured = await measureRubrics({ url, key }, { connection, model }, { rubrics, keep });
  if (values.json) process.stdout.write(`${JSON.stringify(measured, null, 2)}\n`);
  else console.table(measured);
}
