import { Injectable } from '@nestjs/common';
import { requestHash } from '@spandrel/tracing';
import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { datapointKind } from '../datapoint-resource.js';
import { DatasetSnapshots, type Snapshot } from './dataset-snapshots.js';

const SLICE = 1_000;

/** What the datapoints of snapshots say, read by the way for works that go over many of them. */
@Injectable()
export class SnapshotContents {
  constructor(private readonly snapshots: DatasetSnapshots) {}

  /** The `metadata` of datapoints of a snapshot by their ids. @param ids in any order. */
  async metadata(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    options: LongReadOptions = {},
  ): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    await this.each(scope, snapshot, ids, options, (id, kind) => void found.set(id, variantOf(kind)['metadata']));
    return found;
  }

  /**
   * The datapoints that two versions of a dataset have and that differ, in anything but `actual_output` and `score`. For the
   * others no more than a number is looked at: the row of a datapoint that nobody edited is the same one in both.
   */
  async changed(
    scope: Scope,
    datasetId: string,
    [one, other]: readonly [number, number],
    options: LongReadOptions = {},
  ): Promise<Set<string>> {
    const changed = new Set<string>();
    if (one === other) return changed;
    const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
    for (let afterId = ''; ;) {
      const range = { afterId, limit: SLICE };
      const ids = await this.snapshots.idsClosed(scope, datasetId, { earlier, later }, range, options);
      const before = await this.hashes(scope, { datasetId, version: earlier }, ids, options);
      const after = await this.hashes(scope, { datasetId, version: later }, ids, options);
      for (const [id, hash] of after) if (before.get(id) !== hash) changed.add(id);
      if (ids.length < SLICE) return changed;
      afterId = ids.at(-1)!;
    }
  }

  private async hashes(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    options: LongReadOptions,
  ): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    await this.each(scope, snapshot, ids, options, (id, kind) => void hashes.set(id, contentHash(kind)));
    return hashes;
  }

  /** Goes over datapoints, few at a time: requests have their turn in between. */
  private async each(
    scope: Scope,
    snapshot: Snapshot,
    ids: readonly string[],
    options: LongReadOptions,
    take: (id: string, kind: string) => void,
  ): Promise<void> {
    for (let left = ids; left.length > 0;) {
      const { rows, read } = await this.snapshots.kinds(scope, snapshot, left, options);
      for (const { id, kind } of rows) take(id, kind);
      left = left.slice(read);
    }
  }
}

/** The members of a datapoint, all of its variant. @param kind as the row has it. */
function variantOf(kind: string): Record<string, unknown> {
  const whole = datapointKind({ kind, resultOutput: null, resultScore: null });
  return 'Generic' in whole ? { ...whole.Generic } : { ...whole.LlmConversation };
}

/** Equal for contents that are, whatever the order of their members. */
function contentHash(kind: string): string {
  const { actual_output: _output, score: _score, ...content } = variantOf(kind);
  return requestHash(content);
}
