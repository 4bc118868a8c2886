import type { AlertEvaluation, AlertResource, AlertSeries } from '@spandrel/contract';
import { formatCount, NONE } from '@spandrel/contract/browser';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { api } from '../../api/api.js';
import { Badge } from '../../components/badge.js';
import type { ChartData, ColourToken } from '../../components/chart-series.js';
import { capitalized, formatId } from '../../components/format.js';
import { NotFound } from '../../components/not-found.js';
import { notifyError } from '../../components/notify.js';
import { PageActions } from '../../components/page-actions.js';
import { PageHeading, QueryFault } from '../../components/page-parts.js';
import { Time } from '../../components/time.js';
import { AlertDialog } from '../../features/alerts/create-alert.js';
import {
  describeAlert,
  describeLength,
  explainEvaluation,
  formatChange,
  MEASURES,
  STATES,
} from '../../features/alerts/alert-words.js';
import { ALERTS, CHANNELS, rereadAlerts, RENEWED_EVERY_MS } from '../../features/alerts/alerts.js';
import { DeleteAlert } from '../../features/alerts/delete-alert.js';
import { DeliveriesTable } from '../../features/alerts/deliveries-table.js';
import { WithAlerts } from '../../features/alerts/with-alerts.js';
import { EnabledSwitch } from '../../features/enabled-switch.js';
import { SeriesFigure } from '../../features/analytics/series-figure.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { useWayUp } from '../../features/list/way-up.js';
import { DataTable } from '../../features/statistics/data-table.js';
import styles from './alert-page.module.css';

const route = getRouteApi('/alerts/$id');

/** `/alerts/:id`: what an alert measured, why it is in its state, what changed, and what was sent. */
export function AlertPage() {
  const { id } = route.useParams();
  return (
    <WithAlerts>
      <KnownAlert key={id} id={id} />
    </WithAlerts>
  );
}

function KnownAlert({ id }: { id: string }) {
  const alerts = useQuery(ALERTS);
  const wayUp = useWayUp('/alerts', 'Alert');
  const alert = alerts.data?.find((one) => one.id === id);
  if (alert === undefined && alerts.isSuccess)
    return <NotFound what="Alert" back={<Link to="/alerts">Go to Alerts</Link>} />;
  return (
    <>
      {wayUp}
      {alert === undefined && <PageHeading title="Alert" />}
      <QueryFault title="The alert could not be loaded" query={alerts} />
      {alert && <Alert alert={alert} />}
    </>
  );
}

function Alert({ alert }: { alert: AlertResource }) {
  const { id, name, explain } = alert;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<'edit' | 'delete' | null>(null);
  const close = (): void => setOpened(null);
  const channels = useQuery(CHANNELS);
  const own = channels.data?.filter((channel) => alert.channel_ids.includes(channel.id)) ?? [];
  const testing = useMutation({
    mutationFn: () => api.testAlert({ path: { id } }),
    onError: (error) => notifyError('The alert could not be tested', error),
  });
  return (
    <>
      <PageHeading title={name}>
        <EnabledSwitch
          {...alert}
          isLabelled
          change={(enabled) => api.updateAlert({ path: { id }, body: { enabled } })}
          onChanged={() => rereadAlerts(client)}
        />
        <PageActions
          group="Alert"
          actions={[
            { label: 'Test alert', short: 'Test', run: () => testing.mutate() },
            { label: 'Edit alert', short: 'Edit', writes: true, run: () => setOpened('edit') },
            {
              ...{ label: 'Delete alert', short: 'Delete', writes: true, variant: 'danger', icon: 'trash' },
              run: () => setOpened('delete'),
            },
          ]}
        />
      </PageHeading>
      <p>{describeAlert(alert)}</p>
      <FactList label="Alert facts" facts={factsOf(alert, own.map((channel) => channel.name).join(', '))} />
      <p role="status" aria-label="Test result">
        {testing.data && `Test: ${explainEvaluation(alert, testing.data)}`}
      </p>
      {alert.measure !== 'scoring_stalled' && <AlertFigure alert={alert} />}
      <div className={styles.parts}>
        <Part title="Last evaluation">
          {explain === null ? <p>It is evaluated within a minute.</p> : <Evaluation alert={alert} found={explain} />}
        </Part>
        <Part title="History">
          <History alert={alert} />
        </Part>
        <Part title="Deliveries">
          <QueryFault title="Channels could not be loaded" query={channels} />
          {own.length > 0 && <DeliveriesTable channels={own} alertId={id} />}
          {channels.isSuccess && own.length === 0 && <p>This alert has no channels: it is seen here alone.</p>}
        </Part>
      </div>
      {opened === 'edit' && <AlertDialog alert={alert} onClose={close} />}
      {opened === 'delete' && (
        <DeleteAlert alert={alert} onDeleted={() => void navigate({ to: '/alerts' })} onClose={close} />
      )}
    </>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className={styles.part}>
    <h2>{title}</h2>
    {children}
  </section>
);

const WORDS: Readonly<Record<string, string>> = { name: 'Trace name', score_name: 'Score' };
const wordOf = (name: string): string => WORDS[name] ?? capitalized(name);

const FIRING_MAX = 5;

function factsOf(alert: AlertResource, channels: string): Fact[] {
  const { measure, state, enabled, firing, filters, for: wait, cooldown, min_count: least, severity } = alert;
  const named = firing.slice(0, FIRING_MAX).flatMap(({ key }) => (key === null ? [] : [formatId(key)]));
  const facts: [string, string | false | null][] = [
    ['State', enabled ? STATES[state].words : 'Off'],
    ['Last value', MEASURES[measure].format(alert.last_value)],
    ['Fires for', named.length > 0 && `${named.join(', ')}${firing.length > FIRING_MAX ? ' …' : ''}`],
    ...Object.entries(filters).map(([name, value]): [string, string] => [wordOf(name), value!]),
    ['Minimum count', least > 0 && formatCount(least)],
    ['Must hold for', wait && describeLength(wait)],
    ['Cooldown', cooldown && describeLength(cooldown)],
    ['Severity', wordOf(severity)],
    ['Channels', channels || NONE],
  ];
  return facts.flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

const SERIES_EVERY_MS = 60_000;

function AlertFigure({ alert }: { alert: AlertResource }) {
  const { id, measure, condition } = alert;
  const query = useQuery({
    queryKey: ['alerts', id, 'series'],
    queryFn: ({ signal }) => api.getAlertSeries({ path: { id }, signal }),
    refetchInterval: SERIES_EVERY_MS,
  });
  const text = JSON.stringify(condition);
  const chart = useMemo(
    () => query.data && chartOf({ measure, condition: JSON.parse(text) as AlertResource['condition'] }, query.data),
    [query.data, measure, text],
  );
  const { words, unit, format } = MEASURES[measure];
  const isValue = 'op' in condition;
  const { model, provider, tag, user: user_id, session: session_id } = alert.filters;
  return (
    <SeriesFigure
      name={isValue ? words : `Change of ${words}`}
      chart={chart}
      isWhole={isValue && unit === '' && measure !== 'score_mean'}
      format={isValue ? format : formatChange}
      list="/spans"
      filters={{ model, provider, tag, user_id, session_id }}
      fault={<QueryFault title="What it measured could not be loaded" query={query} />}
    />
  );
}

const MOMENTS_MIN = 12;

/** What was measured, or how it changed, from where there is something on; with the limit that makes the alert fire. */
function chartOf({ measure, condition }: Pick<AlertResource, 'measure' | 'condition'>, found: AlertSeries): ChartData {
  const { step_ms: widthMs, moments, series } = found;
  const isValue = 'op' in condition;
  const limit = isValue ? condition.value : condition.change === '>' ? condition.percent : -condition.percent;
  const first = moments.findIndex((_, at) => series.some(({ values }) => values[at]));
  const from = Math.min(first === -1 ? moments.length : first, moments.length - MOMENTS_MIN);
  const starts = moments.slice(from).map((at) => Date.parse(at) - widthMs);
  return {
    ...{ starts, widthMs, form: 'lines' },
    series: [
      ...series.map(({ key, values, change_percents: changes }, at) => ({
        label: key === null ? MEASURES[measure].words : formatId(key),
        colour: `--kind-${at + 1}` as ColourToken,
        values: (isValue ? values : changes).slice(from),
      })),
      { label: 'Threshold', colour: '--status-failed', dash: [6, 3], values: starts.map(() => limit) },
    ],
  };
}

function Evaluation({ alert, found }: { alert: AlertResource; found: AlertEvaluation }) {
  const { format } = MEASURES[alert.measure];
  const isValue = 'op' in alert.condition;
  return (
    <>
      <p>
        <Time at={found.at} />: {explainEvaluation(alert, found)}
      </p>
      {alert.group_by !== 'none' && found.groups.length > 0 && (
        <DataTable
          caption="Groups"
          columns={[wordOf(alert.group_by), 'Measured', ...(isValue ? [] : ['Change']), 'Count', 'Condition']}
          rows={found.groups.map(({ key, value, change_percent: change, count, holds }) => [
            String(key),
            <bdi key="key">{key === null ? NONE : formatId(key)}</bdi>,
            ...[format(value), ...(isValue ? [] : [formatChange(change)]), formatCount(count)],
            holds === true ? <Badge tone="failed">Holds</Badge> : holds === null ? 'No data' : 'Does not hold',
          ])}
        />
      )}
    </>
  );
}

const HISTORY_COLUMNS = ['Since', 'Of', 'From', 'To', 'Measured'];

function History({ alert: { id: alertId, measure } }: { alert: AlertResource }) {
  const history = useQuery({
    queryKey: ['alerts', alertId, 'history'],
    queryFn: ({ signal }) => api.listAlertHistory({ path: { id: alertId }, signal }),
    refetchInterval: RENEWED_EVERY_MS,
  });
  const { changes = [] } = history.data ?? {};
  if (history.isSuccess && changes.length === 0) return <p>Its state did not change in the last 30 days.</p>;
  return (
    <>
      <QueryFault title="The history could not be loaded" query={history} />
      {changes.length > 0 && (
        <DataTable
          caption="History"
          columns={HISTORY_COLUMNS}
          starts={HISTORY_COLUMNS.slice(0, 4)}
          rows={changes.map(({ id, at, key, from, to, value }) => [
            id,
            <Time key="at" at={at} />,
            <bdi key="key">{key === null ? NONE : formatId(key)}</bdi>,
            STATES[from].words,
            <Badge key="to" tone={STATES[to].tone}>
              {STATES[to].words}
            </Badge>,
            MEASURES[measure].format(value),
          ])}
        />
      )}
    </>
  );
}
