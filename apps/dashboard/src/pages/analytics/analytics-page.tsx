import { formatCount } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { EmptyState, PageHeading, QueryFault } from '../../components/page-parts.js';
import { useDelayed, useLater } from '../../components/hooks.js';
import { SelectField, TextField } from '../../components/field.js';
import { capitalized, formatId, shareOf } from '../../components/format.js';
import { TimeRangeField } from '../../features/filters/filter-bar.js';
import { AnalyticsFigure, BucketLine } from '../../features/analytics/analytics-figure.js';
import {
  COUNTED,
  isFiltered,
  withoutFilters,
  withRange,
  BUCKETS,
  readAnalyticsSearch,
  SPLITS,
  type AnalyticsSearch,
} from '../../features/analytics/analytics-search.js';
import { FIGURES, type FigureName } from '../../features/analytics/figures.js';
import { describeChange } from '../../features/analytics/sums.js';
import { useSeries, type Series } from '../../features/analytics/use-series.js';
import { PinMenu } from '../../features/boards/pin-menu.js';
import { ViewsMenu } from '../../features/saved-views/views-menu.js';
import figureStyles from '../../features/analytics/analytics-figure.module.css';
import { usePageSearch } from '../../features/use-page-search.js';
import styles from './analytics-page.module.css';
import { GroupsGrid } from './groups-grid.js';
import { ScoreFigures } from './score-figures.js';
import totalsListStyles from './totals-list.module.css';

const route = getRouteApi('/analytics');

/** Sums over spans: in all, over time, and by model. */
export function AnalyticsPage() {
  const search = usePageSearch(readAnalyticsSearch);
  const navigate = route.useNavigate();
  const change = (next: AnalyticsSearch, isTyped = false): void => void navigate({ search: next, replace: isTyped });
  const { by, and_by, order_by, ...figures } = search;
  const spans = useSeries({ ...figures, of: 'spans' });
  const models = useQuery({
    queryKey: [...keys.facets('model', ''), 'names'],
    queryFn: ({ signal }) => loadModels(signal),
    enabled: useLater(),
  });
  const { data, error, isPlaceholderData } = spans;
  const isLate = useDelayed(data === undefined && error === null);
  const isBefore = useDelayed(isPlaceholderData);
  return (
    <>
      <PageHeading title="Analytics">
        <ViewsMenu page="analytics" />
      </PageHeading>
      <AnalyticsFilterBar search={search} models={models.data ?? []} onChange={change} />
      <QueryFault title="Analytics could not be loaded" query={spans} />
      {isLate && <div className={styles.waiting} />}
      {data?.totals.span_count === 0 && error === null && (
        <Nothing search={data.query} onClear={() => change(withoutFilters(search))} />
      )}
      {data !== undefined && data.totals.span_count > 0 && error === null && (
        <div className={styles.content} data-before={isBefore}>
          <TotalsList search={figures} spans={data} />
          <AnalyticsFigures
            search={figures}
            onChange={(next) => change(readAnalyticsSearch({ by, and_by, order_by, ...next }))}
          />
          <GroupsGrid search={search} onChange={change} />
          <ScoreFigures search={data.query} width={data.width} />
        </div>
      )}
    </>
  );
}

const loadModels = async (signal: AbortSignal): Promise<string[]> =>
  (await api.listFacets({ query: { of: 'model', limit: 200 }, signal })).facets.map(({ value }) => value);

function Nothing({ search, onClear }: { search: AnalyticsSearch; onClear(): void }) {
  if (isFiltered(search)) {
    return (
      <EmptyState title="No spans in this range" action={<Button onClick={onClear}>Clear filters</Button>}>
        <p>Nothing that matches these filters was recorded.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No data yet" action={<Link to="/traces">Send your first call</Link>}>
      <p>Cost, latency and errors appear here after your first call.</p>
    </EmptyState>
  );
}

interface AnalyticsFilterBarProps {
  search: AnalyticsSearch;
  models: readonly string[];
  onChange(search: AnalyticsSearch, isTyped?: boolean): void;
}

/** Begins a split by a key of metadata. */
const METADATA = 'metadata.';

const COUNTED_WORDS = { llm_calls: 'LLM calls', traces: 'Traces', spans: 'All spans' } as const;

const optionsOf = (none: string, values: readonly string[]) => [
  { value: '', label: none },
  ...values.map((value) => ({ value, label: capitalized(value).replace('_', ' ') })),
];

/** Stands before the name of a model: a name may be empty, and so may the choice. */
const MODEL = '=';

function AnalyticsFilterBar({ search, models, onChange }: AnalyticsFilterBarProps) {
  const metadataKey = search.split_by?.startsWith(METADATA) ? search.split_by.slice(METADATA.length) : undefined;
  const change = (changes: Record<string, unknown>): void => onChange(readAnalyticsSearch({ ...search, ...changes }));
  const names = search.model === undefined || models.includes(search.model) ? models : [...models, search.model];
  return (
    <search aria-label="Filters" className="row">
      <TimeRangeField value={search} onChange={(range, isTyped) => onChange(withRange(search, range), isTyped)} />
      <SelectField
        label="Bucket"
        options={optionsOf('Automatic', BUCKETS)}
        value={search.group_by ?? ''}
        onChange={({ target }) => change({ group_by: target.value })}
      />
      <SelectField
        label="Split by"
        options={[...optionsOf('Nothing', SPLITS), { value: METADATA, label: 'Metadata key' }]}
        value={metadataKey === undefined ? (search.split_by ?? '') : METADATA}
        onChange={({ target: { value } }) =>
          change({ split_by: value === METADATA ? `${METADATA}environment` : value })
        }
      />
      {metadataKey !== undefined && (
        <TextField
          label="Metadata key"
          defaultValue={metadataKey}
          onBlur={({ target: { value } }) => value !== '' && change({ split_by: METADATA + value })}
          onKeyDown={({ key, currentTarget: { value } }) => {
            if (key === 'Enter' && value !== '') change({ split_by: METADATA + value });
          }}
        />
      )}
      <SelectField
        label="Latency and errors of"
        options={COUNTED.map((value) => ({ value, label: COUNTED_WORDS[value] }))}
        value={search.of ?? 'llm_calls'}
        onChange={({ target: { value } }) => change({ of: value === 'llm_calls' ? undefined : value })}
      />
      <SelectField
        label="Model"
        className={styles.model}
        options={[
          { value: '', label: 'Any model' },
          ...names.map((name) => ({ value: `${MODEL}${name}`, label: formatId(name) })),
        ]}
        value={search.model === undefined ? '' : `${MODEL}${search.model}`}
        onChange={({ target: { value } }) => change({ model: value === '' ? undefined : value.slice(MODEL.length) })}
      />
    </search>
  );
}

function AnalyticsFigures({ search, onChange }: Omit<AnalyticsFilterBarProps, 'models'>) {
  const [bucket, onBucket] = useState<number | null>(null);
  const { data } = useSeries({ ...search, of: 'spans' });
  const at = bucket !== null && data !== undefined && bucket < data.buckets.length ? bucket : null;
  return (
    <>
      {data && <BucketLine data={data} bucket={at} />}
      <div className={figureStyles.figures}>
        {FIGURES.map(({ name }) => (
          <AnalyticsFigure
            key={name}
            figure={name}
            query={search}
            cursor={{ bucket: at, onBucket }}
            onZoom={onChange}
            actions={<PinMenu figure={name} query={search} />}
          />
        ))}
      </div>
    </>
  );
}

function TotalsList({ search, spans }: { search: AnalyticsSearch; spans: Series }) {
  const of = search.of ?? 'llm_calls';
  const { data: counted } = useSeries({ ...search, of });
  const { totals } = spans;
  const calls = counted?.totals;
  const what = of === 'spans' ? 'Spans' : COUNTED_WORDS[of];
  const parts = [totals.input_tokens, totals.cached_input_tokens, totals.output_tokens].map((count) =>
    formatCount(count),
  );
  const notes: Partial<Record<FigureName, string | false>> = {
    Cost: totals.unpriced_count > 0 && `${formatCount(totals.unpriced_count)} without a price`,
    Tokens: `${parts[0]} in (${parts[1]} cached), ${parts[2]} out`,
    Latency: what,
    Errors: calls?.finished_count
      ? `${what}, ${shareOf(calls.error_count, calls.finished_count)} of those finished`
      : what,
  };
  return (
    <ul aria-label="Totals" className={totalsListStyles.totals}>
      {FIGURES.filter(({ name }) => name !== 'Calls').map((figure) => {
        const shown = figure.of === undefined ? counted : spans;
        const [now, before] = [shown?.totals, shown?.previous].map((sums) => (sums ? figure.valueOf(sums) : null));
        return (
          <Total
            key={figure.name}
            name={figure.name === 'Latency' ? 'Average latency' : figure.name}
            value={figure.format(now ?? null)}
            exact={figure.formatExactly(now ?? null)}
            change={spans.previous && describeChange(now ?? null, before ?? null)}
            note={notes[figure.name]}
          />
        );
      })}
    </ul>
  );
}

interface TotalProps {
  name: string;
  value: string;
  exact: string;
  change: string | null;
  note: string | false | undefined;
}

function Total({ name, value, exact, change, note }: TotalProps) {
  return (
    <li className={totalsListStyles.total}>
      <span className={totalsListStyles.name}>{name}</span>{' '}
      <span className={totalsListStyles.value} {...(exact !== value && { title: exact })}>
        {value}
      </span>{' '}
      {change !== null && (
        <span className={totalsListStyles.name} title="Change to the period before">
          {change}
          <span className="visually-hidden"> to the period before</span>{' '}
        </span>
      )}
      {note && <span className={totalsListStyles.name}>{note}</span>}
    </li>
  );
}
