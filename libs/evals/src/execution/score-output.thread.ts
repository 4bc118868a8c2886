/** The far end of {@link ScoringThreads}: has scorers score that may compute for long. */
import { workerData } from 'node:worker_threads';
import { readExactJson } from '@spandrel/contract';
import { loadPluginsInThread, type PluginEntry } from '@spandrel/kernel/launch';
import type { Score, ScorerConfigFault, ScoreSample } from '@spandrel/plugin-api';

/** A scorer of a run. Texts are JSON, which keeps every digit. */
export interface ThreadScorer {
  /** The name of the scoring plugin. */
  scoring: string;
  config: string;
}

/** A sample that is to be scored in a thread. */
export interface ThreadSample extends ThreadScorer {
  /** The members of {@link ScoreSample} that are data. */
  sample: string;
}

export type ThreadScore = { score: Score } | { error: string };

/** Configs that are kept, so that a scorer is given the same object again, by which it may know what it made of it. */
const KEPT_MAX = 50;

const { scorers } = await loadPluginsInThread((workerData as { plugins: readonly PluginEntry[] }).plugins);
const kept = new Map<string, unknown>();

function readConfig(text: string): unknown {
  const config = kept.get(text) ?? readExactJson(text);
  kept.delete(text);
  kept.set(text, config);
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
  return config;
}

const findScorer = (scoring: string) => scorers.find(({ name }) => name === scoring)!.extension;

/** What a scorer finds wrong with its config. */
export const findConfigFaults = ({ scoring, config }: ThreadScorer): readonly ScorerConfigFault[] =>
  findScorer(scoring).configFaults?.(readConfig(config)) ?? [];

const askNobody = (): never => {
  throw new Error('a scorer that runs in a thread can ask nobody');
};

/** Scores a sample. */
export async function scoreOutput({ scoring, config, sample }: ThreadSample): Promise<ThreadScore> {
  const data = readExactJson(sample) as unknown as Omit<ScoreSample, 'config' | 'complete' | 'embed' | 'signal'>;
  const { signal } = new AbortController();
  try {
    const given = { ...data, config: readConfig(config), complete: askNobody, embed: askNobody, signal };
    return { score: await findScorer(scoring).score(given) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
