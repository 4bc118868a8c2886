import type { Api } from '../api/client.js';
import { canonicalJson } from './json.js';
import type { PlannedScorer } from './plan-scorers.js';
import type { Sample } from './sample.js';
import { trySample, type Trials, type Tried } from './try-sample.js';

/** Tries that were made before their run was started. */
export interface EarlyTries {
  /** Names that scorers reported, by place. */
  reported: (string | undefined)[];
  /** @returns the try of a sample, once, if the snapshot has the datapoint as it was tried. */
  take(sample: Sample): Tried | undefined;
}

/** So many datapoints are tried until each scorer has reported its name. */
const TRIES_MAX = 3;

/**
 * A run has to say its scorers when it is started, and a function without a name says its own only in an answer
 * (`async ({ output }) => ({ name: 'short', score: 1 })`). So the first datapoints are tried beforehand, and count for the run.
 */
export async function learnNames(api: Api, trials: Trials, signal: AbortSignal): Promise<EarlyTries> {
  const reported: (string | undefined)[] = [];
  const early = new Map<string, { tried: Tried; content: string }>();
  const take = ({ datapointId, repeat, kind }: Sample): Tried | undefined => {
    const known = repeat === 0 ? early.get(datapointId) : undefined;
    early.delete(datapointId);
    return known?.content === contentOf(kind) ? known.tried : undefined;
  };
  if (trials.scorers.every(isNamed)) return { reported, take };
  const query = { limit: TRIES_MAX };
  const { datapoints } = await api.listDatapoints({ path: { id: trials.datasetId }, query, signal });
  for (const { id: datapointId, kind } of datapoints) {
    const tried = await trySample(trials, { datapointId, repeat: 0, kind });
    early.set(datapointId, { tried, content: contentOf(kind) });
    for (const [place, said] of tried.said.entries()) reported[place] ??= said?.name;
    if (trials.scorers.every((scorer, place) => isNamed(scorer) || reported[place] !== undefined)) break;
  }
  return { reported, take };
}

const isNamed = ({ name }: PlannedScorer): boolean => name !== undefined;

/** What tasks and scorers see of a datapoint: the result of another run, which it may have got meanwhile, is left out. */
function contentOf(kind: Sample['kind']): string {
  if (!('Generic' in kind)) return canonicalJson(kind);
  const { actual_output: _output, score: _score, ...content } = kind.Generic;
  return canonicalJson(content);
}
