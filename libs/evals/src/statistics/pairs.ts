import type { RunSamples } from './run-samples.js';
import { inStretches } from './stretches.js';
import { zeroWhenTiny } from './tolerance.js';

/** Which datapoints of a run and of its baseline belong together, and which are left out of the comparison. */
export interface Pairs {
  /** For each datapoint of the run the position of its partner in the baseline; -1 when it has none. */
  partners: Int32Array;
  /** Partners with a score in both runs. */
  count: number;
  /** Datapoints with a score in both runs whose content differs. */
  changed: number;
  /** Datapoints with a score in the run alone; in the baseline alone. */
  unpairedRun: number;
  unpairedBaseline: number;
}

/** @param changed ids of datapoints whose content is not the same in both snapshots. */
export async function pairDatapoints(
  run: RunSamples,
  baseline: RunSamples,
  changed: ReadonlySet<string>,
): Promise<Pairs> {
  const positions = new Positions(baseline.ids);
  const partners = new Int32Array(run.ids.length).fill(-1);
  const [runCounts, baselineCounts] = [run.score.counts, baseline.score.counts];
  const pairs: Pairs = { partners, count: 0, changed: 0, unpairedRun: 0, unpairedBaseline: 0 };
  // Mostly there are none: an id is not looked for then, which would take its hash.
  const isChanged = changed.size === 0 ? () => false : (id: string) => changed.has(id);
  await inStretches(run.ids.length, async (from, to) => {
    for (let i = from; i < to; i++) {
      const id = run.ids[i]!;
      if (!positions.isNext(id) && !positions.hasTable) await positions.makeTable();
      const position = positions.of(id);
      const differs = isChanged(id);
      if (position !== undefined && !differs) partners[i] = position;
      if (runCounts[i] === 0) continue;
      if (position === undefined || baselineCounts[position] === 0) pairs.unpairedRun++;
      else if (differs) pairs.changed++;
      else pairs.count++;
    }
  });
  let scored = 0;
  for (const count of baselineCounts) if (count > 0) scored++;
  pairs.unpairedBaseline = scored - pairs.count - pairs.changed;
  return pairs;
}

/**
 * Finds ids among others. Two runs of one dataset mostly have the same ids in the same order, where the id after the last one
 * found is the one; a table of all of them is needed when it is not.
 */
class Positions {
  private next = 0;
  private table: Map<string, number> | undefined;

  constructor(private readonly ids: readonly string[]) {}

  isNext(id: string): boolean {
    return this.ids[this.next] === id;
  }

  get hasTable(): boolean {
    return this.table !== undefined;
  }

  async makeTable(): Promise<void> {
    const table = new Map<string, number>();
    await inStretches(this.ids.length, (from, to) => {
      for (let i = from; i < to; i++) table.set(this.ids[i]!, i);
    });
    this.table = table;
  }

  of(id: string): number | undefined {
    const position = this.isNext(id) ? this.next : this.table?.get(id);
    if (position !== undefined) this.next = position + 1;
    return position;
  }
}

/** dᵢ = mᵢ(run) − mᵢ(baseline) of each datapoint of the run, NaN where one of them is missing. */
export async function pairedDifferences(
  run: Float64Array,
  baseline: Float64Array,
  partners: Int32Array,
): Promise<Float64Array> {
  const differences = new Float64Array(run.length);
  await inStretches(run.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const partner = partners[i]!;
      differences[i] = partner < 0 ? Number.NaN : zeroWhenTiny(run[i]! - baseline[partner]!);
    }
  });
  return differences;
}
