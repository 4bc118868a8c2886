import { Injectable } from '@nestjs/common';
import { DatasetSnapshots, type DatapointResult } from '@spandrel/datasets';
import type { WireEvent } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import { together, type WriteTx } from '@spandrel/storage';
import { EvalResultStore } from '../eval-result.store.js';
import type { EvalResultRow, EvalRunRow, EvalSampleRow } from '../eval-run.entity.js';
import { EvalSampleStore } from '../eval-sample.store.js';
import { sampleName } from '../running-items.js';
import { sampleTotal, scorersOf } from '../run-plan.js';
import { itemOfSamples, type SampleOfItem } from './item-of-samples.js';
import { resultRow, sampleRow, type FinishedSample } from './sample-rows.js';
import { addItem, addSample } from './sample-sums.js';

/** What finished samples come to, beside the sums of their run. */
export interface SampleChanges {
  /** New rows of samples; none where each datapoint is tried once. */
  samples: EvalSampleRow[];
  /** New rows of items. */
  items: EvalResultRow[];
  /** What datapoints are to show. */
  written: DatapointResult[];
  /** One `eval_progress` for each sample. */
  events: WireEvent[];
}

/** The one way in which samples come into runs, whoever made them: each once, however often it is brought. */
@Injectable()
export class AddSamples {
  constructor(
    private readonly results: EvalResultStore,
    private readonly samples: EvalSampleStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /** Names of the samples of some datapoints that are processed, read within the transaction that locks the run. */
  async processed(
    tx: WriteTx,
    scope: Scope,
    { id, repeats }: Pick<EvalRunRow, 'id' | 'repeats'>,
    datapointIds: readonly string[],
  ): Promise<Set<string>> {
    if (repeats === 1) return this.results.processedForWrite(tx, scope, id, datapointIds);
    return new Set((await this.samples.processedForWrite(tx, scope, id, datapointIds)).map(sampleName));
  }

  /**
   * Adds finished samples to the sums of a locked run; nothing is written.
   * @param run the caller's copy, which is changed.
   * @param processed of all datapoints of these samples: those in it are left out, the others are put into it.
   */
  async add(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    processed: Set<string>,
    finished: readonly FinishedSample[],
  ): Promise<SampleChanges> {
    const changes: SampleChanges = { samples: [], items: [], written: [], events: [] };
    const progressOf = progressEvents(run);
    const fresh = finished.filter((sample) => {
      const name = sampleName(sample);
      return !processed.has(name) && processed.add(name);
    });
    const items = run.repeats === 1 ? undefined : await this.itemsOf(tx, scope, run, processed, fresh);
    for (const sample of fresh) {
      const row = items ? sampleRow(run, sample) : resultRow(run, sample);
      addSample(run, row);
      if (items) changes.samples.push(row as EvalSampleRow);
      const completed = items ? items.get(sample) : { item: row, output: row.output };
      if (completed) {
        const { item, output } = completed;
        addItem(run, item);
        changes.items.push(item);
        // A datapoint shows nothing of a result without output.
        if (output !== null) {
          changes.written.push({ id: item.datapointId, output, score: item.score, now: sample.now });
        }
      }
      changes.events.push(progressOf(run));
    }
    return changes;
  }

  /** Writes the rows of samples and items, and results of datapoints; the run's own row and the events are the caller's. */
  async write(tx: WriteTx, scope: Scope, { datasetId }: EvalRunRow, changes: SampleChanges): Promise<void> {
    const { samples, items, written } = changes;
    await together(
      samples.length > 0 && this.samples.insert(tx, samples),
      this.results.insert(tx, items),
      this.snapshots.writeResults(tx, scope, datasetId, written),
    );
  }

  /** The items whose last samples are among new ones, by the last of each. */
  private async itemsOf(
    tx: WriteTx,
    scope: Scope,
    run: EvalRunRow,
    processed: ReadonlySet<string>,
    fresh: readonly FinishedSample[],
  ): Promise<Map<FinishedSample, CompletedItem>> {
    const repeats = Array.from({ length: run.repeats }, (_, repeat) => repeat);
    const completed = [...Map.groupBy(fresh, ({ datapointId }) => datapointId)].filter(([datapointId]) =>
      repeats.every((repeat) => processed.has(sampleName({ datapointId, repeat }))),
    );
    const begun = completed.filter(([, samples]) => samples.length < run.repeats).map(([datapointId]) => datapointId);
    const earlier = Map.groupBy(await this.samples.ofItems(tx, scope, run.id, begun), ({ datapointId }) => datapointId);
    const scorer = scorersOf(run)[0]!.name;
    return new Map(
      completed.map(([datapointId, samples]) => {
        const rows = samples.map((sample): SampleOfItem => {
          const row = sampleRow(run, sample);
          return { ...row, hasOutput: row.output !== null };
        });
        const all = [...(earlier.get(datapointId) ?? []), ...rows].toSorted((a, b) => a.repeat - b.repeat);
        const output = all[0]!.hasOutput ? all[0]!.output : null;
        return [samples.at(-1)!, { item: itemOfSamples(all, scorer), output }];
      }),
    );
  }
}

/** The row of an item, and what its datapoint is to show: the output of its first sample. */
interface CompletedItem {
  item: EvalResultRow;
  output: string | null;
}

/** The events of a run's progress, of which only the progress differs: each as JSON, as the stream has it. */
function progressEvents(run: EvalRunRow): (now: Pick<EvalRunRow, 'progress' | 'sampleProgress'>) => WireEvent {
  const runId = JSON.stringify(run.id);
  const rest = `"total":${run.total},"sample_total":${sampleTotal(run)}}`;
  return ({ progress, sampleProgress }) => ({
    type: 'eval_progress',
    json: `{"type":"eval_progress","run_id":${runId},"progress":${progress},"sample_progress":${sampleProgress},${rest}`,
  });
}
