import { type SpanRow, STATUS } from '../span.entity.js';
import type { TraceRow } from '../trace.entity.js';
import { isUnpriced } from '../pricing/pricing.js';

const LLM_CALL = 'llm_call';

/** What of a span its trace's roll-up depends on. */
type RolledUp = Pick<SpanRow, 'status' | 'kindType' | 'model' | 'totalTokens' | 'cost' | 'endedAt'>;

/** The roll-up of a trace without spans (docs/spec/traces.md#sums-of-a-trace). */
export const EMPTY_ROLLUP = {
  status: STATUS.running,
  spanCount: 0,
  runningCount: 0,
  errorCount: 0,
  totalTokens: 0,
  costUsd: 0,
  costPico: 0,
  costCount: 0,
  callCount: 0,
  unpricedCount: 0,
  models: '[]',
  lastEndedAt: null,
} satisfies Partial<TraceRow>;

/**
 * The trace after one of its spans came (`before` null), changed, or went (`after` null). All of it is sums, which go
 * up and down exactly, but for the latest end: see {@link losesLatestEnd}.
 */
export function rollUp(trace: TraceRow, before: RolledUp | null, after: RolledUp | null): TraceRow {
  const next = { ...trace };
  if (before) count(next, before, -1);
  if (after) count(next, after, 1);
  if (before?.model !== after?.model) next.models = countModels(trace, before?.model ?? null, after?.model ?? null);
  next.lastEndedAt = later(trace.lastEndedAt, after?.endedAt ?? null);
  next.status = rolledUpStatus(next);
  return next;
}

/** True when the change takes away what may have been the latest end: it must then be looked up among all spans. */
export const losesLatestEnd = (trace: TraceRow, before: RolledUp | null, after: RolledUp | null): boolean =>
  typeof before?.endedAt === 'number' &&
  before.endedAt === trace.lastEndedAt &&
  (after?.endedAt ?? -Infinity) < before.endedAt;

/** `running` while a span runs or none has come, else `failed` if one failed, else `completed`. */
const rolledUpStatus = (trace: TraceRow): number => {
  if (trace.spanCount === 0 || trace.runningCount > 0) return STATUS.running;
  return trace.errorCount > 0 ? STATUS.failed : STATUS.completed;
};

function count(trace: TraceRow, span: RolledUp, sign: 1 | -1): void {
  trace.spanCount += sign;
  if (span.status === STATUS.running) trace.runningCount += sign;
  if (span.status === STATUS.failed) trace.errorCount += sign;
  trace.totalTokens += sign * (span.totalTokens ?? 0);
  if (span.kindType === LLM_CALL) trace.callCount += sign;
  if (isUnpriced(span)) trace.unpricedCount += sign;
  if (span.cost === null) return;
  trace.costCount += sign;
  const sum = { usd: trace.costUsd, pico: trace.costPico };
  const { usd, pico } = (sign === 1 ? addCost : subtractCost)(sum, toCostSum(span.cost));
  trace.costUsd = usd;
  trace.costPico = pico;
}

const later = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** Changed where they stand in the text: a trace may have thousands of models, and each of its spans changes one. */
function countModels({ models }: TraceRow, before: string | null, after: string | null): string {
  const left = before === null ? models : addToModel(models, before, -1);
  return after === null ? left : addToModel(left, after, 1);
}

function addToModel(models: string, model: string, more: 1 | -1): string {
  const entry = `[${JSON.stringify(model)},`;
  const at = models.indexOf(entry);
  if (at === -1) return more === 1 ? `${models.slice(0, -1)}${models === '[]' ? '' : ','}${entry}1]]` : models;
  const end = models.indexOf(']', at + entry.length);
  const count = Number(models.slice(at + entry.length, end)) + more;
  if (count > 0) return `${models.slice(0, at)}${entry}${count}${models.slice(end)}`;
  const isFirst = at === 1;
  return isFirst
    ? `[${models.slice(end + (models[end + 1] === ',' ? 2 : 1))}`
    : `${models.slice(0, at - 1)}${models.slice(end + 1)}`;
}

/** A sum of dollars kept as whole dollars and trillionths, so that adding and taking away again leaves no trace. */
export interface CostSum {
  readonly usd: number;
  readonly pico: number;
}

const PICO_PER_USD = 1_000_000_000_000;

/** Costs beyond this count as this much in sums: whole dollars stay exact integers. */
const COST_MAX_USD = 1_000_000_000;

/** @param cost dollars, not negative. */
export function toCostSum(cost: number): CostSum {
  const capped = Math.min(cost, COST_MAX_USD);
  const usd = Math.floor(capped);
  return carried(usd, Math.round((capped - usd) * PICO_PER_USD));
}

export const addCost = (sum: CostSum, cost: CostSum): CostSum => carried(sum.usd + cost.usd, sum.pico + cost.pico);

export const subtractCost = (sum: CostSum, cost: CostSum): CostSum => carried(sum.usd - cost.usd, sum.pico - cost.pico);

/** Dollars: the double nearest to the sum, which adding the two parts up would miss by a digit now and then. */
export const costOf = ({ usd, pico }: CostSum): number => Number(`${usd}.${String(pico).padStart(12, '0')}`);

function carried(usd: number, pico: number): CostSum {
  const carry = Math.floor(pico / PICO_PER_USD);
  return { usd: usd + carry, pico: pico - carry * PICO_PER_USD };
}

/** The models that its spans name, sorted. */
export const modelsOf = (trace: TraceRow): string[] =>
  (JSON.parse(trace.models) as [model: string, count: number][]).map(([model]) => model).toSorted();
