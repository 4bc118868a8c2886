import type { DatasetSnapshots, Snapshot, SnapshotDatapoint } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { EvalResultStore } from '../eval-result.store.js';
import type { EvalRunRow } from '../eval-run.entity.js';

/** Datapoints read in one go. */
const PAGE = 200;

/** So many left of a page begin the reading of the next one, so that no slot waits for it. */
const LEFT_MIN = PAGE / 2;

/** The unprocessed datapoints of a run, in order, each handed out once; however many there are, two pages are in memory. */
export class PendingItems {
  private readonly snapshot: Snapshot;
  private page: SnapshotDatapoint[] = [];
  private taken = 0;
  private after = '';
  private ended = false;
  /** The page behind {@link page}, or its error; begun before it is needed. */
  private coming: Promise<SnapshotDatapoint[]> | undefined;
  private turning: Promise<void> | undefined;

  constructor(
    private readonly snapshots: Pick<DatasetSnapshots, 'after'>,
    private readonly results: Pick<EvalResultStore, 'processed'>,
    private readonly scope: Scope,
    private readonly run: EvalRunRow,
  ) {
    this.snapshot = { datasetId: run.datasetId, version: run.datasetVersion };
  }

  /** @returns a datapoint; `undefined` when all have been handed out. */
  async next(): Promise<SnapshotDatapoint | undefined> {
    for (;;) {
      const datapoint = this.page[this.taken];
      if (datapoint !== undefined) {
        this.taken++;
        if (this.page.length - this.taken < LEFT_MIN) this.readAhead();
        return datapoint;
      }
      if (this.ended) return undefined;
      await (this.turning ??= this.turn().finally(() => (this.turning = undefined)));
    }
  }

  private readAhead(): void {
    if (this.coming || this.ended) return;
    this.coming = this.read();
    // Whoever turns the page meets the error.
    this.coming.catch(() => undefined);
  }

  private async turn(): Promise<void> {
    const coming = this.coming ?? this.read();
    this.coming = undefined;
    this.page = await coming;
    this.taken = 0;
  }

  private async read(): Promise<SnapshotDatapoint[]> {
    const page = await this.snapshots.after(this.scope, this.snapshot, this.after, PAGE);
    const ids = page.map(({ id }) => id);
    this.after = ids.at(-1) ?? this.after;
    this.ended = ids.length === 0;
    // A run that begins has none.
    const processed =
      this.run.progress === 0 || ids.length === 0
        ? new Set<string>()
        : await this.results.processed(this.scope, this.run.id, ids);
    return page.filter(({ id }) => !processed.has(id));
  }
}
