/** What the address of the form can say. */
export interface NewEvaluationSearch {
  /** Id of the dataset that is chosen. */
  dataset?: string;
  /** Id of a run that is made again. */
  run?: string;
}

/** Reads an address; what it does not know is left out. */
export function readNewEvaluationSearch({ dataset, run }: Record<string, unknown>): NewEvaluationSearch {
  return { ...(isText(dataset) && { dataset }), ...(isText(run) && { run }) };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
