import { readTexts } from '../../features/filters/list-search.js';

export interface NewEvaluationSearch {
  dataset?: string;
  /** Id of a run that is made again. */
  run?: string;
  /** Id of the span of a try whose prompt and model are taken. */
  span?: string;
}

/** Reads an address; what it does not know is left out. */
export const readNewEvaluationSearch = (search: Record<string, unknown>): NewEvaluationSearch =>
  readTexts(search, ['dataset', 'run', 'span']);
