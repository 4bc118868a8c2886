import { SeenIds } from './seen-ids.js';

/** Bytes for the ids of what a project has thousands of at most. */
const FEW = 512 * 1024;

/** What an export has written so far, so that nothing comes without what it belongs to. */
export class ExportedIds {
  readonly traces = new SeenIds();
  readonly datasets = new SeenIds(FEW);
  readonly datapoints = new SeenIds();
  readonly runs = new SeenIds(FEW);
}
