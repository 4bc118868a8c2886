import type { AlertChannelResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { Button, RowButton, RowButtons } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { formatDuration } from '../../components/format.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { notify, notifyError } from '../../components/notify.js';
import { EmptyState } from '../../components/page-parts.js';
import { CHANNELS } from '../../features/alerts/alerts.js';
import { DeliveriesTable } from '../../features/alerts/deliveries-table.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import { ConfirmAction } from '../../features/dialogs.js';
import { QueryGrid } from '../../features/list/query-grid.js';
import { ChannelDialog, KINDS } from './channel-dialog.js';

type Opened = 'new' | { word: 'Edit' | 'Delete' | 'Deliveries of'; channel: AlertChannelResource } | null;

/** Where alerts are sent to. */
export function ChannelsTab() {
  const channels = useQuery(CHANNELS);
  const client = useQueryClient();
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  const reread = (): void => void client.invalidateQueries({ queryKey: CHANNELS.queryKey });
  const create = (
    <Button writes variant="primary" icon="plus" onClick={() => setOpened('new')}>
      New channel
    </Button>
  );
  const { word, channel } = opened === null || opened === 'new' ? {} : opened;
  return (
    <>
      <QueryGrid<AlertChannelResource>
        label="Channels"
        query={channels}
        rows={channels.data ?? []}
        columns={channelColumns(setOpened)}
        onOpen={(row) => setOpened({ word: 'Deliveries of', channel: row })}
        above={create}
        empty={
          <EmptyState title="No channels yet" action={create}>
            <p>A channel is where alerts are sent to: a webhook, Slack, Teams, or addresses of email.</p>
          </EmptyState>
        }
      />
      {(opened === 'new' || word === 'Edit') && (
        <ChannelDialog channel={channel ?? null} onSaved={reread} onClose={close} />
      )}
      {word === 'Deliveries of' && (
        <Dialog title={`Deliveries of ${channel!.name}`} size="large" onClose={close}>
          <DeliveriesTable channels={[channel!]} />
        </Dialog>
      )}
      {word === 'Delete' && (
        <ConfirmAction
          title="Delete channel?"
          action="Delete"
          act={() => api.deleteAlertChannel({ path: { id: channel!.id } })}
          onDone={reread}
          done={`Deleted the channel ${channel!.name}`}
          failed="The channel could not be deleted"
          onClose={close}
        >
          <p>
            The channel <bdi>{channel!.name}</bdi> is deleted with its deliveries, and taken from the alerts that have
            it.
          </p>
        </ConfirmAction>
      )}
    </>
  );
}

/** Sends a channel a message, and says what became of it. */
async function test({ id, name }: AlertChannelResource): Promise<void> {
  try {
    const { ok, error, latency_ms: ms } = await api.testAlertChannel({ path: { id } });
    if (ok) notify(`${name} took a message in ${formatDuration(ms)}`);
    else notifyError(`${name} took no message`, new Error(error ?? 'it gave no reason'));
  } catch (error) {
    notifyError(`${name} could not be tested`, error as Error);
  }
}

function channelColumns(open: (opened: Opened) => void): GridColumn<AlertChannelResource>[] {
  return [
    { ...textColumn<AlertChannelResource>('name', 'Name', 160, ({ name }) => name), grows: true },
    cellColumn('kind', 'Kind', 90, ({ kind }) => KINDS[kind]),
    {
      ...textColumn<AlertChannelResource>('to', 'Sends to', 220, ({ kind, host, to }) =>
        kind === 'email' ? to.join(', ') : (host ?? 'No address yet'),
      ),
      grows: true,
    },
    cellColumn('signed', 'Signed', 70, ({ kind, signed }) => (kind === 'webhook' ? (signed ? 'Yes' : 'No') : NONE)),
    cellColumn('actions', 'Actions', 260, (channel) => (
      <RowButtons>
        <Button aria-label={`Deliveries of ${channel.name}`} onClick={() => open({ word: 'Deliveries of', channel })}>
          Deliveries
        </Button>
        <RowButton word="Test" name={channel.name} onClick={() => void test(channel)} />
        {(['Edit', 'Delete'] as const).map((word) => (
          <RowButton key={word} word={word} name={channel.name} onClick={() => open({ word, channel })} />
        ))}
      </RowButtons>
    )),
  ];
}
