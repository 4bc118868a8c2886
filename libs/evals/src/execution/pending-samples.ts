import type { DatapointKind } from '@spandrel/contract';
import type { DatasetSnapshots, Snapshot, SnapshotDatapoint } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { EvalResultStore } from '../eval-result.store.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { EvalSampleStore } from '../eval-sample.store.js';
import { sampleName, type SampleKey } from '../running-items.js';

/** Datapoints read in one go. */
const PAGE = 200;

/** So many left of a page begin the reading of the next one, so that no slot waits for it. */
const LEFT_MIN = PAGE / 2;

/** A sample that is to be called. */
export interface PendingSample extends SampleKey {
  kind: DatapointKind;
}

interface Page {
  datapoints: SnapshotDatapoint[];
  /** Names of samples. */
  processed: ReadonlySet<string>;
}

const EMPTY: Page = { datapoints: [], processed: new Set() };

/**
 * The unprocessed samples of a run in the order of datapoint and repeat, each handed out once; however many there are, two pages
 * of datapoints are in memory.
 */
export class PendingSamples {
  private readonly snapshot: Snapshot;
  private page = EMPTY;
  /** Datapoints of the page all of whose samples were handed out, and samples of the one behind them. */
  private taken = 0;
  private repeat = 0;
  private after = '';
  private ended = false;
  /** The page behind {@link page}, or its error; begun before it is needed. */
  private coming: Promise<Page> | undefined;
  private turning: Promise<void> | undefined;

  constructor(
    private readonly snapshots: Pick<DatasetSnapshots, 'after'>,
    private readonly results: Pick<EvalResultStore, 'processed'>,
    private readonly samples: Pick<EvalSampleStore, 'processed'>,
    private readonly scope: Scope,
    private readonly run: EvalRunRow,
  ) {
    this.snapshot = { datasetId: run.datasetId, version: run.datasetVersion };
  }

  /** @returns a sample; `undefined` when all have been handed out. */
  async next(): Promise<PendingSample | undefined> {
    for (;;) {
      const sample = this.ofPage();
      if (sample) return sample;
      if (this.ended) return undefined;
      await (this.turning ??= this.turn().finally(() => (this.turning = undefined)));
    }
  }

  /** @returns the next sample of the page, `undefined` when it has none left. */
  private ofPage(): PendingSample | undefined {
    const { datapoints, processed } = this.page;
    for (let datapoint = datapoints[this.taken]; datapoint; datapoint = datapoints[this.taken]) {
      const sample = { datapointId: datapoint.id, repeat: this.repeat, kind: datapoint.kind };
      this.repeat++;
      if (this.repeat >= this.run.repeats) {
        this.repeat = 0;
        this.taken++;
        if (datapoints.length - this.taken < LEFT_MIN) this.readAhead();
      }
      if (processed.size === 0 || !processed.has(sampleName(sample))) return sample;
    }
    return undefined;
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

  private async read(): Promise<Page> {
    const datapoints = await this.snapshots.after(this.scope, this.snapshot, this.after, PAGE);
    const ids = datapoints.map(({ id }) => id);
    const processed = await this.processed(ids);
    this.after = ids.at(-1) ?? this.after;
    this.ended = ids.length === 0;
    return { datapoints, processed };
  }

  private async processed(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { id, repeats, sampleProgress } = this.run;
    // A run that begins has none.
    if (sampleProgress === 0 || ids.length === 0) return EMPTY.processed;
    if (repeats === 1) return this.results.processed(this.scope, id, ids);
    return new Set((await this.samples.processed(this.scope, id, ids)).map(sampleName));
  }
}
