/** The job of an evaluation engineer: 300 rows of six categories, three scorers, three tries, two prompts, failures among them. */
import { hash } from 'node:crypto';
import type { EvalItem, EvalRunSummary } from '@spandrel/contract';
import type { Api } from '../support/api.ts';
import { until } from '../support/spandrel.ts';
import {
  refused,
  said,
  startScriptedProvider,
  type ScriptedAnswer,
  type ScriptedProvider,
} from './scripted-provider.ts';

export const CATEGORIES = ['billing', 'human resources', 'legal', 'login', 'refunds', 'stock'];
const OF_EACH = 50;
export const ROWS = CATEGORIES.length * OF_EACH;
export const REPEATS = 3;

export const SCORERS = [
  { name: 'Contains', scoring: 'Contains', weight: 2 },
  { name: 'Tone', scoring: 'LlmJudge' },
  { name: 'Concise', scoring: 'Regex', scoring_config: { pattern: '^.{1,40}$' } },
];

/** Dollars of a token of gpt-5.1. */
const PRICE = { input: 1.25 / 1e6, output: 10 / 1e6 };

/** What the provider's bill says of the calls of a prompt and of their judges, in dollars. */
interface Bill {
  calls: number;
  judges: number;
}

/** How good a prompt is: the shares of right and of short answers, and of calls that fail. */
interface Prompt {
  right: (category: string) => number;
  short: number;
  failed: number;
}

/** The new prompt is a little better everywhere but in one category, which it ruins. */
const PROMPTS: Record<string, Prompt> = {
  old: { right: () => 0.7, short: 0.6, failed: 0.02 },
  new: { right: (category) => (category === 'legal' ? 0.45 : 0.88), short: 0.68, failed: 0.03 },
};

/** A number from 0 to 1 that is always the same for the same text. */
const chanceOf = (text: string): number => Number.parseInt(hash('sha256', text).slice(0, 8), 16) / 2 ** 32;

interface Message {
  role: string;
  content: string;
}

export interface JobProvider extends ScriptedProvider {
  /** By prompt. */
  bills: Record<string, Bill>;
}

/** The model of the job and its judge; each try of a question has an answer of its own. */
export async function startJobProvider(): Promise<JobProvider> {
  const bills: Record<string, Bill> = {};
  const tries = new Map<string, number>();
  const answered = (prompt: string, of: keyof Bill, messages: readonly Message[], text: string): ScriptedAnswer => {
    const prompt_tokens = messages.reduce((sum, { content }) => sum + content.length, 0);
    const usage = { prompt_tokens, completion_tokens: text.length, total_tokens: prompt_tokens + text.length };
    const bill = (bills[prompt] ??= { calls: 0, judges: 0 });
    bill[of] += prompt_tokens * PRICE.input + text.length * PRICE.output;
    return { status: 200, body: { ...(said(text).body as object), usage } };
  };
  const provider = await startScriptedProvider(({ body }) => {
    const messages = body['messages'] as Message[];
    const judged = messages.find(({ content }) => content.startsWith('BEGIN INPUT'))?.content;
    if (judged !== undefined) return answered(/(old|new) try/.exec(judged)![1]!, 'judges', messages, judge(judged));
    const [prompt, question] = messages.map(({ content }) => content) as [string, string];
    const asked = `${prompt}: ${question}`;
    const attempt = (tries.get(asked) ?? 0) + 1;
    tries.set(asked, attempt);
    const answer = answerOf(prompt, question, attempt);
    return answer === null ? refused(400, 'the script says no') : answered(prompt, 'calls', messages, answer);
  });
  return { ...provider, bills };
}

/** `null`: the call fails. */
function answerOf(prompt: string, question: string, attempt: number): string | null {
  const { right, short, failed } = PROMPTS[prompt]!;
  const [, category, row] = /^(.*) (\d+)$/.exec(question)!;
  const chance = (of: string): number => chanceOf(`${of} ${prompt} ${question} ${attempt}`);
  if (chance('failed') < failed) return null;
  // Some questions are hard, whatever the prompt.
  const isRight = 0.6 * chance('right') + 0.4 * chanceOf(question) < right(category!);
  const known = isRight ? `it is code ${row}` : 'it is unknown';
  const more = chance('short') < short ? '' : ', and there is far more to be said about that';
  return `${prompt} try ${attempt}: ${known}${more}`;
}

/** The judge likes right answers better; one in a hundred of its verdicts cannot be used, however often it is asked. */
function judge(judged: string): string {
  const chance = chanceOf(judged);
  if (chance < 0.01) return 'Quite good, I would say.';
  const score = Math.round(17 * (judged.includes('it is code') ? 0.3 + 0.7 * chance : 0.6 * chance)) / 17;
  return JSON.stringify({ score, reason: 'so it seems' });
}

export interface Job {
  datasetId: string;
  connectionId: string;
}

/** Makes the dataset, from a CSV file with a column of its own for the category, and the connection. */
export async function makeJob(api: Api, providerUrl: string): Promise<Job> {
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'desk' });
  const rows = CATEGORIES.flatMap((category, at) =>
    Array.from({ length: OF_EACH }, (_, n) => {
      const row = 100 + at * OF_EACH + n;
      return `${category} ${row},code ${row},${category}`;
    }),
  );
  await api.send('POST', `/api/datasets/${dataset.id}/import`, `input,expected,category\n${rows.join('\n')}\n`, {
    'content-type': 'text/csv',
  });
  const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
    ...{ name: 'desk', provider: 'openai', api_key: 'sk-test-key', base_url: `${providerUrl}/v1` },
    default_model: 'gpt-5.1',
  });
  return { datasetId: dataset.id, connectionId: connection.id };
}

/** Runs a prompt over the job to its end. @param more members of the request. */
export async function runPrompt(api: Api, job: Job, prompt: string, more: object = {}): Promise<EvalRunSummary> {
  const config = { connection_id: job.connectionId, system_prompt: prompt };
  const start = { name: `desk ${prompt}`, config, scorers: SCORERS, repeats: REPEATS, ...more };
  const { status, body } = await api.post<EvalRunSummary>(`/api/datasets/${job.datasetId}/eval`, start);
  if (status !== 201) throw new Error(`not started: ${JSON.stringify(body)}`);
  let run = body;
  const hasEnded = async (): Promise<boolean> => {
    run = (await api.get<EvalRunSummary>(`/api/eval/${body.id}?items=none`)).body;
    return run.ended_at !== null;
  };
  await until(hasEnded, 120_000, () => `the run did not end: ${JSON.stringify(run).slice(0, 500)}`);
  return run;
}

/** All items of a run with their samples. */
export async function itemsOf(api: Api, runId: string): Promise<EvalItem[]> {
  const { body } = await api.get<{ items: EvalItem[] }>(`/api/eval/${runId}/items?include=samples&limit=1000`);
  return body.items;
}

/** The category of an item of the job. */
export const categoryOf = (item: object): string => String((item as { input?: unknown }).input).replace(/ \d+$/, '');
