import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import type { PlainList } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { deleteRows, ProjectRows, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import { captureRuleNotFound } from '../dataset-participants.js';
import { spanMatcher, storedFilters } from './capture-filters.js';
import { CaptureRule, type CaptureRuleRow, captureRuleTable } from './capture-rule.entity.js';

const LOCKED_IN_ORDER = { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE } as const;

const JUDGED_COLUMNS = captureRuleTable.select('r', ['id', 'filters', 'sampleRate']);

/**
 * Rows of capture rules. A transaction that changes one is the only one at that time where the rules are kept in memory
 * (SQLite has one writer), so what is forgotten at the change is read again after it.
 */
@Injectable()
export class CaptureRuleStore extends ProjectRows<CaptureRuleRow> {
  constructor(storage: Storage) {
    const [entity, table] = [CaptureRule, captureRuleTable];
    super(storage, { entity, table, list: 'capture_rules', notFound: captureRuleNotFound });
  }

  findSome({ projectId }: Scope, ids: readonly string[]): Promise<CaptureRuleRow[]> {
    return this.storage.find((em) => em.find(CaptureRule, { projectId, id: { $in: [...ids] } }));
  }

  /** The enabled rules of the project; locks none, so that the end of a span waits for nobody. */
  async enabled(tx: WriteTx, { projectId }: Scope) {
    const rows = await tx.all(
      JUDGED_COLUMNS.query`select ${JUDGED_COLUMNS} from capture_rule r where r.project_id = ${projectId} and r.enabled = 1`,
    );
    return rows.map((rule) => ({ ...rule, matches: spanMatcher(storedFilters(rule)) }));
  }

  /** A page of a dataset's rules in the order they were made. @throws Invalid `invalid_cursor`. */
  listOfDataset(scope: Scope, datasetId: string, query: PlainList): Promise<Page<CaptureRuleRow>> {
    return this.listWhere(scope, sql`r.dataset_id = ${datasetId}`, query);
  }

  /** Deletes a locked rule with its tasks and captures; its datapoints stay. */
  async delete(tx: WriteTx, rule: CaptureRuleRow): Promise<void> {
    const { projectId, id } = rule;
    for (const table of ['capture_task', 'capture']) {
      await deleteRows(tx, table, sql`project_id = ${projectId} and rule_id = ${id}`);
    }
    tx.em.remove(rule);
  }

  /** Deletes the rules of a dataset in the same way. */
  async deleteAll(tx: WriteTx, { projectId }: Scope, datasetId: string): Promise<void> {
    const rules = await tx.em.find(CaptureRule, { projectId, datasetId }, LOCKED_IN_ORDER);
    for (const rule of rules) await this.delete(tx, rule);
  }
}
