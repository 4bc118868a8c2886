import type { Api } from '@spandrel/sdk';
import { UsageFault } from '../client/exit-codes.js';
import { readMetadata } from './options/metadata-option.js';
import { readOption } from './options/read-option.js';

/**
 * @param text the id of a run, or `latest[:k=v,…]`: the newest completed run of the dataset with this metadata.
 * @param except the run that is compared, which is never its own baseline.
 * @returns the id of a run; `undefined` when `latest` finds none.
 * @throws UsageFault for a run of another dataset.
 */
export async function findBaseline(
  api: Api,
  datasetId: string,
  text: string,
  except?: string,
): Promise<string | undefined> {
  const latest = /^latest(?::(.*))?$/s.exec(text);
  if (!latest) {
    const run = await api.getEval({ path: { id: text }, query: { items: 'none' } });
    if (run.dataset_id === datasetId) return run.id;
    throw new UsageFault(`--baseline: the run ${run.id} is of another dataset (${run.dataset_id})`);
  }
  const metadata = readOption('--baseline', latest[1] ?? '', (pairs) =>
    readMetadata(pairs === '' ? [] : pairs.split(',')),
  );
  const query = { status: 'completed' as const, limit: 2, metadata };
  const { runs } = await api.listEvals({ path: { id: datasetId }, query });
  return runs.find(({ id }) => id !== except)?.id;
}
