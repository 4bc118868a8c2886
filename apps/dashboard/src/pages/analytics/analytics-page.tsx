import { formatCount, NONE } from '@spandrel/contract/browser';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState, FaultNotice, PageHeading, QueryFault } from '../../components/page-parts.js';
import { useDelayed } from '../../components/hooks.js';
import { SelectField } from '../../components/field.js';
import {
  formatId,
  formatCost,
  formatCostExactly,
  formatDuration,
  formatDurationExactly,
} from '../../components/format.js';
import { TimeRangeField } from '../../features/filters/filter-bar.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { costColumn, countColumn } from '../../features/columns/usual-columns.js';
import { AnalyticsFigure, BucketLine } from '../../features/analytics/analytics-figure.js';
import {
  isFiltered,
  withoutFilters,
  withRange,
  BUCKETS,
  readAnalyticsSearch,
  SPLITS,
  spansAddress,
  type AnalyticsSearch,
} from '../../features/analytics/analytics-search.js';
import { FIGURES } from '../../features/analytics/figures.js';
import { addCosts, type Totals, type ModelSums } from '../../features/analytics/sums.js';
import { ViewsMenu } from '../../features/saved-views/views-menu.js';
import { useSeries } from '../../features/analytics/use-series.js';
import { useAnalytics, type Analytics } from './use-analytics.js';
import styles from './analytics-page.module.css';
import totalsListStyles from './totals-list.module.css';

const route = getRouteApi('/analytics');

/** Sums over spans: in all, over time, and by model. */
export function AnalyticsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: AnalyticsSearch, isTyped = false): void => void navigate({ search: next, replace: isTyped });
  const { data, error, refetch, isFetching } = useAnalytics(search);
  const isLate = useDelayed(data === undefined && error === null);
  const isBefore = useDelayed(isFetching && data !== undefined && data.search !== search);
  return (
    <>
      <PageHeading title="Analytics">
        <ViewsMenu page="analytics" />
      </PageHeading>
      <AnalyticsFilterBar search={search} models={data?.knownModels ?? []} onChange={change} />
      {error !== null && (
        <FaultNotice title="Analytics could not be loaded" error={error} onRetry={() => void refetch()} />
      )}
      {isLate && <div className={styles.waiting} />}
      {data?.totals.spans === 0 && error === null && (
        <Nothing search={data.search} onClear={() => change(withoutFilters(search))} />
      )}
      {data !== undefined && data.totals.spans > 0 && (
        <div className={styles.content} data-before={isBefore || error !== null}>
          <TotalsList totals={data.totals} />
          <AnalyticsFigures search={search} onChange={change} />
          <ModelsGrid data={data} />
        </div>
      )}
    </>
  );
}

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

/** Each value by its own word, behind the empty one. */
const optionsOf = (none: string, values: readonly string[]) => [
  { value: '', label: none },
  ...values.map((value) => ({ value, label: value[0]!.toUpperCase() + value.slice(1) })),
];

/** Stands before the name of a model: a name may be empty, and so may the choice. */
const MODEL = '=';

function AnalyticsFilterBar({ search, models, onChange }: AnalyticsFilterBarProps) {
  const change = (changes: Record<string, unknown>): void => onChange(readAnalyticsSearch({ ...search, ...changes }));
  const names = search.model === undefined || models.includes(search.model) ? models : [...models, search.model];
  return (
    <search aria-label="Filters" className={styles.filters}>
      <TimeRangeField value={search} onChange={(range, isTyped) => onChange(withRange(search, range), isTyped)} />
      <SelectField
        label="Bucket"
        options={optionsOf('Automatic', BUCKETS)}
        value={search.group_by ?? ''}
        onChange={({ target }) => change({ group_by: target.value })}
      />
      <SelectField
        label="Split by"
        options={optionsOf('Nothing', SPLITS)}
        value={search.split_by ?? ''}
        onChange={({ target }) => change({ split_by: target.value })}
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
  const series = useSeries(search);
  const { data } = series;
  const at = bucket !== null && data !== undefined && bucket < data.buckets.length ? bucket : null;
  // Said once, and not by each figure.
  if (series.error) return <QueryFault title="Figures could not be loaded" query={series} />;
  return (
    <>
      {data && <BucketLine data={data} bucket={at} />}
      <div className={styles.figures}>
        {FIGURES.map(({ name }) => (
          <AnalyticsFigure
            key={name}
            figure={name}
            query={search}
            cursor={{ bucket: at, onBucket }}
            onZoom={onChange}
          />
        ))}
      </div>
    </>
  );
}

function TotalsList({ totals }: { totals: Totals }) {
  const { spans, cost, unpriced, tokens, errors, finished, averageMs } = totals;
  const share = finished === 0 ? null : `${percent(errors / finished)} of finished spans`;
  return (
    <ul aria-label="Totals" className={totalsListStyles.totals}>
      <Total
        name="Cost"
        value={formatCost(cost)}
        exact={formatCostExactly(cost)}
        note={unpriced > 0 ? `${formatCount(unpriced)} without a price` : null}
      />
      <Total name="Tokens" value={formatCount(tokens)} />
      <Total name="Spans" value={formatCount(spans)} />
      <Total name="Average latency" value={formatDuration(averageMs)} exact={formatDurationExactly(averageMs)} />
      <Total name="Errors" value={formatCount(errors)} note={errors > 0 ? share : null} />
    </ul>
  );
}

function Total({ name, value, exact, note }: { name: string; value: string; exact?: string; note?: string | null }) {
  return (
    <li className={totalsListStyles.total}>
      <span className={totalsListStyles.name}>{name}</span>{' '}
      <span className={totalsListStyles.value} {...(exact !== undefined && exact !== value && { title: exact })}>
        {value}
      </span>{' '}
      {note && <span className={totalsListStyles.name}>{note}</span>}
    </li>
  );
}

/** `12.3%`; what is there is never rounded to 0%. */
function percent(share: number): string {
  const digits = share < 0.001 ? 3 : 1;
  return `${(share * 100).toFixed(digits)}%`;
}

function ModelsGrid({ data }: { data: Analytics }) {
  const { models, range } = data;
  const navigate = useNavigate();
  const addressOf = (model: string): string => spansAddress({ model, since: range.since, until: range.until });
  if (models.length === 0) return null;
  return (
    <section className={styles.models} aria-labelledby="models-heading">
      <h2 id="models-heading">Models</h2>
      <Grid<ModelSums>
        label="Models"
        columns={modelColumns(models, addressOf)}
        length={models.length}
        isComplete
        rowAt={(index) => models[index]}
        keyAt={(index) => JSON.stringify(models[index]!.model)}
        onOpen={({ model }) => model !== null && void navigate({ to: addressOf(model) })}
      />
    </section>
  );
}

function modelColumns(models: readonly ModelSums[], addressOf: (model: string) => string): GridColumn<ModelSums>[] {
  const cost = models.reduce<number | null>((sum, { cost: own }) => addCosts(sum, own), null);
  return [
    cellColumn('model', 'Model', { width: 160, grows: true }, ({ model }) =>
      model === null ? (
        'Others'
      ) : (
        <Link to={addressOf(model)} dir="auto">
          {formatId(model)}
        </Link>
      ),
    ),
    countColumn('calls', 'Calls', 90, ({ calls }) => calls),
    countColumn('tokens', 'Tokens', 110, ({ tokens }) => tokens),
    costColumn('cost', 'Cost', 100, (row) => row.cost),
    { id: 'share', header: 'Share', width: 80, align: 'end', cell: ({ cost: own }) => shareOf(own, cost) },
  ];
}

function shareOf(own: number | null, whole: number | null): string {
  if (own === null || whole === null || whole === 0) return NONE;
  const percent = (own / whole) * 100;
  return percent > 0 && percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}
