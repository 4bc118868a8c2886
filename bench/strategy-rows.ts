import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Sql } from '@spandrel/storage';
import type { OfTraces } from '../libs/tracing/src/listing/trace-filter.sql.js';
import type { FilledDatabase } from './filled-database.ts';
import { contract, importSource, kernel, storage } from './libs.ts';
import { median } from './load.ts';
import { spanId } from './query-data.ts';

type Planning = typeof import('../libs/tracing/src/listing/list-strategies.sql.js');
type Requests = typeof import('../libs/tracing/src/listing/list-request.sql.js');
type Limits = typeof import('../libs/tracing/src/listing/list-request.sql.js');
type Traces = typeof import('../libs/tracing/src/listing/trace-filter.sql.js');

const TURNS = 5;
/** A list without its strategy may read everything; it is asked for once where that takes longer than this. */
const SLOW_MS = 500;

/** A list of spans with the strategy that finds it, and what finds it when that one is taken away. */
export interface StrategyFigure {
  query: string;
  strategy: string;
  withMs: number;
  without: string;
  withoutMs: number;
}

/** Lists that each strategy is made for, over many spans in SQLite, with and without it. */
export async function measureStrategies(spans: number, { dataDir }: FilledDatabase): Promise<StrategyFigure[]> {
  const { planList, STRATEGIES } = (await importSource('libs/tracing/src/listing/list-strategies.sql.ts')) as Planning;
  const { ListRequest } = (await importSource('libs/tracing/src/listing/list-request.sql.ts')) as Requests;
  const { LIST_LIMITS } = (await importSource('libs/tracing/src/listing/list-request.sql.ts')) as Limits;
  const { ofMatchingTraces } = (await importSource('libs/tracing/src/listing/trace-filter.sql.ts')) as Traces;
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    const readLong = <Row>(read: Sql): Promise<Row[]> => {
      const { text, params } = storage.renderSql(read, 'sqlite');
      return Promise.resolve(db.prepare(text).all(...params) as Row[]);
    };
    const opened = { dialect: 'sqlite' as const, readLong };
    const scope = kernel.LOCAL_SCOPE;
    const requestOf = (query: object, ofTraces?: OfTraces): InstanceType<Requests['ListRequest']> => {
      const parsed = contract.listSpansSchema.parse(query);
      const sorting = {
        list: 'bench',
        idColumn: 's.id',
        order: parsed.sort_order,
        ...SORTED[parsed.sort_by as keyof typeof SORTED],
      };
      return new ListRequest(opened, scope, parsed, sorting, ofTraces, LIST_LIMITS);
    };
    const timed = async (query: object, strategies: Planning['STRATEGIES']): Promise<{ name: string; ms: number }> => {
      const parsed = contract.listSpansSchema.parse(query);
      const times: number[] = [];
      let name = '';
      for (let turn = 0; turn < TURNS; turn++) {
        const started = performance.now();
        const ofTraces = (await ofMatchingTraces(opened as never, scope, parsed)) ?? undefined;
        const list = requestOf(query, ofTraces);
        const plan = await planList(list, strategies);
        await plan?.candidates('valued', undefined, parsed.limit + 1);
        name = plan?.strategy ?? 'nothing';
        times.push(performance.now() - started);
        if (times[0]! > SLOW_MS) break;
      }
      return { name, ms: median(times) };
    };
    const figures: StrategyFigure[] = [];
    for (const query of questions(spans)) {
      const own = await timed(query, STRATEGIES);
      const others = STRATEGIES.filter(({ name }) => name !== own.name);
      const other = others.some((one) => one.name === 'sort-index') ? await timed(query, others) : own;
      figures.push({
        query: JSON.stringify(query),
        strategy: own.name,
        withMs: own.ms,
        without: other.name,
        withoutMs: other.ms,
      });
    }
    return figures;
  } finally {
    db.close();
  }
}

const SORTED = {
  started_at: { column: 's.started_at', type: 'integer', nullable: false },
  duration: { column: 's.duration_ms', type: 'integer', nullable: true },
  tokens: { column: 's.total_tokens', type: 'integer', nullable: true },
  cost: { column: 's.cost', type: 'number', nullable: true },
  name: { column: 's.name', type: 'text', nullable: false },
} as const;

const questions = (spans: number): object[] => [
  { session_id: 'rare-session' },
  { tag: 'rare-tag', sort_by: 'cost' },
  { model: 'rare-model', kind: 'llm_call' },
  { model: 'gpt-4o', status: 'failed' },
  { model: 'rare-model', sort_by: 'cost' },
  { name_contains: 'rare', sort_by: 'cost' },
  { cost_min: '100', model: 'gpt-4o' },
  { trace_id: 'huge', sort_by: 'cost' },
  { trace_id: 'huge' },
  { parent_id: spanId(Math.floor(spans / 16) * 8) },
  { model: 'gpt-4o' },
  { model: 'rare-model' },
  { status: 'failed' },
  { name_contains: 'rare' },
  { name_contains: 'step' },
  { cost_min: '100' },
  { cost_min: '0.005' },
  { duration_max: '20' },
  { duration_max: '1' },
  { sort_by: 'cost' },
  { sort_by: 'duration', sort_order: 'asc' },
  { sort_by: 'tokens', model: 'gpt-4o' },
];
