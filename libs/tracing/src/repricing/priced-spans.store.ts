import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { integer, joinSql, limitIdsBySize, shapeOf, sql, startedIn, Storage, text, unindexed } from '@spandrel/storage';
import { payloadSizes } from '../span-partitions.sql.js';
import { STATUS } from '../span.entity.js';

const PLACED = shapeOf({ id: text(), startedAt: integer() });

/** A span by its place in the order of starts. */
export interface PlacedSpan {
  readonly id: string;
  readonly startedAt: number;
}

/** Which spans prices are applied to, as `POST /api/prices/apply` has it. */
export interface RepricedWhich {
  readonly since?: number | null | undefined;
  readonly model?: string | null | undefined;
  readonly unpriced?: boolean | null | undefined;
}

/** What a slice may have at most. */
interface SliceSize {
  spans: number;
  /** Bytes of their payloads; a larger span comes alone. */
  bytes: number;
}

/** Finds finished spans of models, some at a time. */
@Injectable()
export class PricedSpansStore {
  constructor(private readonly storage: Storage) {}

  /** Spans behind a place in the order of their starts; `isLast` where there are no more. */
  async slice(
    scope: Scope,
    which: RepricedWhich,
    behind: PlacedSpan | undefined,
    size: SliceSize,
  ): Promise<{ spans: PlacedSpan[]; isLast: boolean }> {
    const { since, model, unpriced } = which;
    const range = startedIn('s.started_at', { since: since ?? undefined });
    const conditions = [sql`s.project_id = ${scope.projectId} and s.status <> ${STATUS.running}${range}`];
    // The index of models leads to all spans of one in their order, and to those of any in none.
    conditions.push(typeof model === 'string' ? sql`s.model = ${model}` : sql`${unindexed('s.model')} is not null`);
    if (unpriced === true) conditions.push(sql`s.cost is null and s.total_tokens > 0`);
    if (behind) conditions.push(sql`(s.started_at, s.id) > (${behind.startedAt}, ${behind.id})`);
    const found = await this.storage.readLong(
      PLACED.query`select s.id as id, s.started_at as "startedAt" from span s where ${joinSql(conditions, ' and ')}
        order by s.started_at, s.id limit ${size.spans}`,
      scope,
    );
    if (found.length === 0) return { spans: [], isLast: true };
    const ids = found.map(({ id }) => id);
    const sizes = await payloadSizes(this.storage, scope, ids);
    const spans = found.slice(0, limitIdsBySize(ids, sizes, size.bytes).length);
    return { spans, isLast: found.length < size.spans && spans.length === found.length };
  }
}
