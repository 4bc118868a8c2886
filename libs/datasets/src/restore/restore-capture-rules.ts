import { Injectable } from '@nestjs/common';
import { CAPTURE_RULES_MAX, type RejectedItem, type RestoredCaptureRule } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { givenFilters } from '../capture/capture-filters.js';
import { CaptureRule, type CaptureRuleRow, captureRuleTable } from '../capture/capture-rule.entity.js';
import { CaptureRuleStore } from '../capture/capture-rule.store.js';
import { DatasetStore } from '../dataset.store.js';

/** Brings capture rules of an export back; those that exist already take the values given. */
@Injectable()
export class RestoreCaptureRules {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly rules: CaptureRuleStore,
  ) {}

  /** Upserts rules in one transaction. @returns those without a dataset, and those that belong to another one here. */
  execute(scope: Scope, restored: readonly RestoredCaptureRule[]): Promise<RejectedItem<RestoredCaptureRule>[]> {
    const byDataset = Map.groupBy(restored, ({ dataset_id: datasetId }) => datasetId);
    return this.storage.write(async (tx) => {
      const rejected: RejectedItem<RestoredCaptureRule>[] = [];
      const places = new Set<string>();
      for (const datasetId of [...byDataset.keys()].toSorted()) {
        if (await this.datasets.findForWrite(tx, scope, datasetId)) places.add(datasetId);
      }
      const ids = [...new Set(restored.map(({ id }) => id))];
      const here = new Map((await this.rules.findSomeForWrite(tx, scope, ids)).map((rule) => [rule.id, rule]));
      let room = await this.rules.room(tx, scope, CAPTURE_RULES_MAX);
      for (const [id, item] of new Map(restored.map((one) => [one.id, one]))) {
        const before = here.get(id);
        if (!places.has(item.dataset_id)) rejected.push({ item, ...NO_DATASET });
        else if (before && before.datasetId !== item.dataset_id) rejected.push({ item, ...OTHER_DATASET });
        else if (before) Object.assign(before, ruleRow(scope, item, before.capturedCount));
        else if (room-- > 0) tx.em.create(CaptureRule, ruleRow(scope, item, 0));
        else rejected.push({ item, ...NO_ROOM });
      }
      return rejected;
    });
  }
}

/** @param capturedHere what the rule has captured here does not become less. */
const ruleRow = (scope: Scope, item: RestoredCaptureRule, capturedHere: number): CaptureRuleRow => ({
  ...captureRuleTable.membersOf(item),
  projectId: scope.projectId,
  enabled: Number(item.enabled),
  filters: JSON.stringify(givenFilters(item.filters)),
  capturedCount: Math.max(item.captured_count, capturedHere),
});

const NO_DATASET = { code: 'dataset_not_found', message: 'there is no dataset with this dataset_id' };
const NO_ROOM = { code: 'validation_failed', message: `a project has at most ${CAPTURE_RULES_MAX} capture rules` };
const OTHER_DATASET = { code: 'id_conflict', message: 'a capture rule of another dataset has this id' };
