import type { Api } from '../api/client.js';
import { DefinitionError } from './definition-error.js';

/** How runs are chosen. */
export interface BaselineOptions {
  /** A run that is never chosen: that which is compared. */
  except?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * @param text the id of a run, or `latest[:k=v,…]`: the newest completed run of the dataset with this metadata.
 * @returns the id of a run; undefined when `latest` finds none.
 * @throws DefinitionError for a text that is neither, or a run of another dataset; SpandrelError `eval_run_not_found` for an
 *   unknown one.
 */
export async function findBaseline(
  api: Api,
  datasetId: string,
  text: string,
  { except, signal }: BaselineOptions = {},
): Promise<string | undefined> {
  const latest = /^latest(?::(.*))?$/s.exec(text.trim());
  if (!latest) {
    const run = await api.getEval({ path: { id: text.trim() }, query: { items: 'none' }, signal });
    if (run.dataset_id === datasetId) return run.id;
    throw new DefinitionError(`baseline: run ${run.id} is of another dataset, ${run.dataset_id}`);
  }
  const metadata = metadataOf(latest[1], text);
  // Runs are listed newest first; the second is for when the first is not to be chosen.
  const query = { status: 'completed' as const, limit: 2, metadata };
  const { runs } = await api.listEvals({ path: { id: datasetId }, query, signal });
  return runs.find(({ id }) => id !== except)?.id;
}

function metadataOf(pairs: string | undefined, text: string): Record<string, string> {
  if (pairs === undefined) return {};
  return Object.fromEntries(
    pairs.split(',').map((pair) => {
      const at = pair.indexOf('=');
      const key = pair.slice(0, at).trim();
      if (at < 0 || key === '') {
        throw new DefinitionError(
          `baseline "${text}": "${pair}" is no key=value; the form is latest:branch=main,env=ci`,
        );
      }
      return [key, pair.slice(at + 1).trim()];
    }),
  );
}
