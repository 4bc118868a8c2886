import type { AlertResource } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { Badge } from '../../components/badge.js';
import { Button, RowButton, RowButtons } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { notify, notifyError } from '../../components/notify.js';
import { EmptyState, PageHeading } from '../../components/page-parts.js';
import { TabList, TabPanel } from '../../components/tab-list.js';
import { Time } from '../../components/time.js';
import { AlertDialog } from '../../features/alerts/create-alert.js';
import { NEW_ROW, type OpenedDialog } from '../../features/dialogs.js';
import { describeAlert, explainEvaluation, MEASURES, STATES } from '../../features/alerts/alert-words.js';
import { alertAddress, ALERTS, rereadAlerts } from '../../features/alerts/alerts.js';
import { DeleteAlert } from '../../features/alerts/delete-alert.js';
import { WithAlerts } from '../../features/alerts/with-alerts.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import { EnabledSwitch } from '../../features/enabled-switch.js';
import { QueryGrid } from '../../features/list/query-grid.js';
import { ChannelsTab } from './channels-tab.js';

const route = getRouteApi('/alerts');
const PANEL = 'alerts-panel';
const TABS = [
  { id: 'alerts', label: 'Alerts' },
  { id: 'channels', label: 'Channels' },
] as const;

/** `/alerts`: what is watched, and where it is sent to. */
export function AlertsPage() {
  const tab = route.useSearch().tab === 'channels' ? 'channels' : 'alerts';
  const navigate = route.useNavigate();
  return (
    <WithAlerts>
      <PageHeading title="Alerts" />
      <TabList
        label="Alerts"
        items={TABS}
        selected={tab}
        panelId={PANEL}
        onSelect={(next) => void navigate({ search: next === 'channels' ? { tab: next } : {} })}
      />
      <TabPanel id={PANEL} tab={tab}>
        {tab === 'alerts' ? <AlertsTab /> : <ChannelsTab />}
      </TabPanel>
    </WithAlerts>
  );
}

type Opened = OpenedDialog<AlertResource>;

function AlertsTab() {
  const alerts = useQuery(ALERTS);
  const client = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  const reread = (): Promise<void> => rereadAlerts(client);
  const create = (
    <Button writes variant="primary" icon="plus" onClick={() => setOpened(NEW_ROW)}>
      New alert
    </Button>
  );
  return (
    <>
      <QueryGrid<AlertResource>
        label="Alerts"
        query={alerts}
        rows={alerts.data ?? []}
        columns={alertColumns(reread, setOpened)}
        onOpen={({ id }) => void navigate({ to: alertAddress(id) })}
        above={create}
        empty={
          <EmptyState title="No alerts yet" action={create}>
            <p>
              An alert watches what is recorded, each minute: it says when one user costs more than $5 in an hour, when
              calls fail or get slow, or when scores fall.
            </p>
            <p>It fires here, and sends a webhook, a message in Slack or Teams, or an email.</p>
          </EmptyState>
        }
      />
      {(opened?.word === 'New' || opened?.word === 'Edit') && (
        <AlertDialog alert={opened.row ?? { measure: 'cost' }} onClose={close} />
      )}
      {opened?.word === 'Delete' && <DeleteAlert alert={opened.row} onClose={close} />}
    </>
  );
}

async function test(alert: AlertResource): Promise<void> {
  try {
    notify(`${alert.name}: ${explainEvaluation(alert, await api.testAlert({ path: { id: alert.id } }))}`);
  } catch (error) {
    notifyError(`${alert.name} could not be tested`, error as Error);
  }
}

function alertColumns(reread: () => Promise<void>, open: (opened: Opened) => void): GridColumn<AlertResource>[] {
  return [
    cellColumn('state', 'State', 84, ({ enabled, state }) =>
      enabled ? <Badge tone={STATES[state].tone}>{STATES[state].words}</Badge> : <Badge>Off</Badge>,
    ),
    cellColumn('name', 'Name', { width: 180, grows: true }, ({ id, name }) => (
      <Link to={alertAddress(id)} dir="auto">
        {name}
      </Link>
    )),
    { ...textColumn<AlertResource>('measure', 'Measure and condition', 240, describeAlert), grows: true },
    cellColumn('value', 'Last value', { width: 90, align: 'end' }, ({ measure, last_value: value }) =>
      MEASURES[measure].format(value),
    ),
    cellColumn('since', 'Since', 110, ({ state_since: at }) => <Time at={at} />),
    cellColumn('enabled', 'Enabled', 64, (alert) => (
      <EnabledSwitch
        {...alert}
        change={(enabled) => api.updateAlert({ path: { id: alert.id }, body: { enabled } })}
        onChanged={reread}
      />
    )),
    cellColumn('actions', 'Actions', 176, (alert) => (
      <RowButtons>
        <RowButton word="Test" name={alert.name} onClick={() => void test(alert)} />
        {(['Edit', 'Delete'] as const).map((word) => (
          <RowButton key={word} word={word} name={alert.name} onClick={() => open({ word, row: alert })} />
        ))}
      </RowButtons>
    )),
  ];
}
