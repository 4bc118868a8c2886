import { Injectable } from '@nestjs/common';
import type { PlainList } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { anyOf, deleteRows, forUpdate, IdOrder, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import { spanMatcher, storedFilters, type JudgedSpan } from './capture-filters.js';
import type { CaptureRuleRow } from './capture-rule.entity.js';
import { captureRuleTable } from '../tables.js';

const IN_ORDER = new IdOrder('capture_rules', 'r.id', 'asc');

const COLUMNS = captureRuleTable.select('r');
const JUDGED_COLUMNS = captureRuleTable.select('r', ['id', 'filters', 'sampleRate']);

/** What decides whether a rule takes a span that has ended. */
export interface JudgingRule extends Pick<CaptureRuleRow, 'id' | 'sampleRate'> {
  matches: (span: JudgedSpan) => boolean;
}

/**
 * Rows of capture rules. A transaction that changes one is the only one at that time where the rules are kept in memory
 * (SQLite has one writer), so what is forgotten at the change is read again after it.
 */
@Injectable()
export class CaptureRuleStore {
  /** The enabled rules of projects; kept where nobody else can change them. */
  private readonly judging = new Map<string, readonly JudgingRule[]>();

  constructor(private readonly storage: Storage) {}

  /** @returns the rule, `undefined` when the dataset has none with this id. */
  async find(scope: Scope, datasetId: string, id: string): Promise<CaptureRuleRow | undefined> {
    const [rule] = await this.storage.read<CaptureRuleRow>(
      sql`select ${COLUMNS} from capture_rule r
        where r.project_id = ${scope.projectId} and r.id = ${id} and r.dataset_id = ${datasetId}`,
    );
    return rule;
  }

  /** Rules by their ids, those there are. */
  findSome(scope: Scope, ids: readonly string[]): Promise<CaptureRuleRow[]> {
    return this.storage.read<CaptureRuleRow>(
      sql`select ${COLUMNS} from capture_rule r where r.project_id = ${scope.projectId} and ${anyOf('r.id', ids)}`,
    );
  }

  /**
   * Rules that are to be changed, or whose captures are, locked against other instances in the order of their ids; who
   * needs their datasets too has locked those before.
   */
  findForWrite(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<CaptureRuleRow[]> {
    return tx.all<CaptureRuleRow>(
      sql`select ${COLUMNS} from capture_rule r
        where r.project_id = ${scope.projectId} and ${anyOf('r.id', ids)} order by r.id${forUpdate('r')}`,
    );
  }

  /** All rules of a dataset, locked in the same way. */
  ofDataset(tx: WriteTx, scope: Scope, datasetId: string): Promise<CaptureRuleRow[]> {
    return tx.all<CaptureRuleRow>(
      sql`select ${COLUMNS} from capture_rule r
        where r.project_id = ${scope.projectId} and r.dataset_id = ${datasetId} order by r.id${forUpdate('r')}`,
    );
  }

  /** The enabled rules of the project; locks none, so that the end of a span waits for nobody. */
  async enabled(tx: WriteTx, { projectId }: Scope): Promise<readonly JudgingRule[]> {
    const known = this.judging.get(projectId);
    if (known) return known;
    const rows = await tx.all<Pick<CaptureRuleRow, 'id' | 'filters' | 'sampleRate'>>(
      sql`select ${JUDGED_COLUMNS} from capture_rule r where r.project_id = ${projectId} and r.enabled = 1`,
    );
    const rules = rows.map((rule) => ({
      id: rule.id,
      sampleRate: rule.sampleRate,
      matches: spanMatcher(storedFilters(rule)),
    }));
    if (this.storage.exclusive) this.judging.set(projectId, rules);
    return rules;
  }

  /** A page of a dataset's rules in the order they were made. @throws Invalid `invalid_cursor`. */
  list(scope: Scope, datasetId: string, query: PlainList): Promise<Page<CaptureRuleRow>> {
    return IN_ORDER.page(query, (rest) =>
      this.storage.readLong<CaptureRuleRow>(
        sql`select ${COLUMNS} from capture_rule r
          where r.project_id = ${scope.projectId} and r.dataset_id = ${datasetId} and ${rest}`,
        { orgId: scope.orgId },
      ),
    );
  }

  insert(tx: WriteTx, rule: CaptureRuleRow): Promise<void> {
    this.judging.delete(rule.projectId);
    return tx.insert(captureRuleTable, [rule]);
  }

  update(tx: WriteTx, rule: CaptureRuleRow): Promise<void> {
    this.judging.delete(rule.projectId);
    return tx.update(captureRuleTable, [rule]);
  }

  /** Writes the counts of locked rules; they are no edit, so `updated_at` stays. */
  updateCounts(tx: WriteTx, rules: readonly CaptureRuleRow[]): Promise<void> {
    return tx.update(captureRuleTable, rules, ['capturedCount']);
  }

  /** Deletes a locked rule with its tasks and captures; its datapoints stay. */
  async delete(tx: WriteTx, { projectId, id }: CaptureRuleRow): Promise<void> {
    this.judging.delete(projectId);
    for (const table of ['capture_task', 'capture']) {
      await deleteRows(tx, table, sql`project_id = ${projectId} and rule_id = ${id}`);
    }
    await tx.run(sql`delete from capture_rule where project_id = ${projectId} and id = ${id}`);
  }
}
