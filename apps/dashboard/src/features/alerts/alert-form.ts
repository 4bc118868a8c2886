import type { AlertRule, CreateAlert } from '@spandrel/contract';
import { FormFault } from '../../api/form-faults.js';
import type { AnalyticsSearch } from '../analytics/analytics-search.js';
import type { FigureName } from '../analytics/figures.js';
import { describeMeasure, MEASURES } from './alert-words.js';

/** What the form of an alert begins with. */
export type AlertDraft = Partial<AlertRule> & Pick<AlertRule, 'measure'> & { name?: string; enabled?: boolean };

const FILTERS = ['model', 'provider', 'tag', 'user', 'session', 'name', 'score_name'] as const;
export type Filter = (typeof FILTERS)[number];

/** Kinds of conditions as the form calls them: those with `=` behind them are changes. */
export const CONDITIONS = [
  { value: '>', label: 'Is above' },
  { value: '<', label: 'Is below' },
  { value: '>=', label: 'Rose by more than' },
  { value: '<=', label: 'Fell by more than' },
] as const;

export const AGAINST = [
  { value: 'previous', label: 'The window before' },
  { value: 'same_hour_last_week', label: 'The same time last week' },
] as const;
type Against = (typeof AGAINST)[number]['value'];

export const isChange = (kind: string): boolean => kind.endsWith('=');

/** The kind of a condition and its number as they are filled in: parts are percents. */
export function fieldsOfCondition({ measure, condition }: AlertDraft) {
  const [none, against] = [{ kind: '>', limit: '' }, 'previous' as Against];
  if (condition === undefined) return { ...none, against };
  if (!('op' in condition))
    return { kind: `${condition.change}=`, limit: String(condition.percent), against: condition.against };
  const limit = MEASURES[measure].unit === '%' ? percentOf(condition.value, 100) : condition.value;
  return { kind: condition.op as string, limit: String(limit), against };
}

/** Without the noise of binary fractions. */
const percentOf = (value: number, factor: number): number => Number((value * factor).toPrecision(12));

/** The fields of an alert as the request. @throws FormFault */
export function readAlert(form: FormData): CreateAlert {
  const textOf = (name: string): string => String(form.get(name) ?? '').trim();
  const measure = textOf('measure') as CreateAlert['measure'];
  const given = FILTERS.map((name) => [name, textOf(`filters.${name}`)] as const).filter(([, value]) => value !== '');
  return {
    ...{ name: textOf('name'), enabled: form.has('enabled'), measure, filters: Object.fromEntries(given) },
    group_by: (textOf('group_by') || 'none') as AlertRule['group_by'],
    ...{ window: textOf('window'), condition: conditionOf(measure, textOf('condition'), form) },
    ...{ min_count: Number(textOf('min_count')), for: textOf('for') || null, cooldown: textOf('cooldown') || null },
    channel_ids: form.getAll('channel_ids').map(String),
    severity: textOf('severity') as AlertRule['severity'],
  };
}

function conditionOf(measure: AlertRule['measure'], kind: string, form: FormData): AlertRule['condition'] {
  const text = String(form.get('limit')).trim();
  const limit = text === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(limit)) throw new FormFault('condition', 'must be a number');
  const op = kind.charAt(0) as '>' | '<';
  if (isChange(kind)) return { change: op, percent: limit, against: form.get('against') as Against };
  return { op, value: MEASURES[measure].unit === '%' ? percentOf(limit, 0.01) : limit };
}

const MEASURE_OF: Readonly<Record<FigureName, AlertRule['measure']>> = {
  Cost: 'cost',
  Tokens: 'tokens',
  Spans: 'calls',
  Calls: 'calls',
  Latency: 'latency_p95',
  Errors: 'error_rate',
};
const GROUPS = ['user', 'model', 'tag', 'session'] as const;
const WINDOWS = { minute: '5m', hour: '1h', day: '1d', week: '7d' } as const;

/** The alert that a figure of Analytics suggests: its measure, filters and split. @param scoreName of a figure of scores. */
export function draftOfFigure(figure: FigureName | null, query: AnalyticsSearch, scoreName?: string): AlertDraft {
  const { model, user_id: user, split_by: split } = query;
  const rule = {
    measure: figure === null ? 'score_mean' : MEASURE_OF[figure],
    filters: { ...(model && { model }), ...(user && { user }), ...(scoreName && { score_name: scoreName }) },
    group_by: GROUPS.find((by) => by === split) ?? 'none',
    window: WINDOWS[query.group_by ?? 'hour'],
  } as const;
  return { ...rule, name: describeMeasure(rule) };
}
