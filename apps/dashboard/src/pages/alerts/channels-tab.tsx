import type { AlertChannelResource, AlertChannelKind } from '@spandrel/contract';
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
import { CHANNELS, NO_MAIL } from '../../features/alerts/alerts.js';
import { DeliveriesTable } from '../../features/alerts/deliveries-table.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import { ConfirmAction, FormDialog, NEW_ROW, type OpenedDialog } from '../../features/dialogs.js';
import { QueryGrid } from '../../features/list/query-grid.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { useCapabilities } from '../../features/browser-session.js';

type Opened = OpenedDialog<AlertChannelResource, 'Edit' | 'Delete' | 'Deliveries of'>;

/** Where alerts are sent to. */
export function ChannelsTab() {
  const channels = useQuery(CHANNELS);
  const client = useQueryClient();
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  const reread = (): void => void client.invalidateQueries({ queryKey: CHANNELS.queryKey });
  const create = (
    <Button writes variant="primary" icon="plus" onClick={() => setOpened(NEW_ROW)}>
      New channel
    </Button>
  );
  return (
    <>
      <QueryGrid<AlertChannelResource>
        label="Channels"
        query={channels}
        rows={channels.data ?? []}
        columns={channelColumns(setOpened)}
        onOpen={(row) => setOpened({ word: 'Deliveries of', row })}
        above={create}
        empty={
          <EmptyState title="No channels yet" action={create}>
            <p>A channel is where alerts are sent to: a webhook, Slack, Teams, or addresses of email.</p>
          </EmptyState>
        }
      />
      {(opened?.word === 'New' || opened?.word === 'Edit') && (
        <ChannelDialog channel={opened.row} onSaved={reread} onClose={close} />
      )}
      {opened?.word === 'Deliveries of' && (
        <Dialog title={`Deliveries of ${opened.row.name}`} size="large" onClose={close}>
          <DeliveriesTable channels={[opened.row]} />
        </Dialog>
      )}
      {opened?.word === 'Delete' && (
        <ConfirmAction
          title="Delete channel?"
          action="Delete"
          act={() => api.deleteAlertChannel({ path: { id: opened.row.id } })}
          onDone={reread}
          done={`Deleted the channel ${opened.row.name}`}
          failed="The channel could not be deleted"
          onClose={close}
        >
          <p>
            The channel <bdi>{opened.row.name}</bdi> is deleted with its deliveries, and taken from the alerts that have
            it.
          </p>
        </ConfirmAction>
      )}
    </>
  );
}

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
        <Button
          aria-label={`Deliveries of ${channel.name}`}
          onClick={() => open({ word: 'Deliveries of', row: channel })}
        >
          Deliveries
        </Button>
        <RowButton word="Test" name={channel.name} onClick={() => void test(channel)} />
        {(['Edit', 'Delete'] as const).map((word) => (
          <RowButton key={word} word={word} name={channel.name} onClick={() => open({ word, row: channel })} />
        ))}
      </RowButtons>
    )),
  ];
}

const KINDS: Readonly<Record<AlertChannelKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  teams: 'Teams',
  email: 'Email',
};
const KIND_OPTIONS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

interface ChannelDialogProps {
  channel: AlertChannelResource | null;
  onSaved(): void;
  onClose(): void;
}

function ChannelDialog({ channel, onSaved, onClose }: ChannelDialogProps) {
  const capabilities = useCapabilities();
  const [kind, setKind] = useState<AlertChannelKind>(channel?.kind ?? 'webhook');
  const send = (form: FormData): Promise<unknown> => {
    const textOf = (name: string): string => String(form.get(name) ?? '').trim();
    const lines = textOf('to')
      .split(/[\s,]+/)
      .filter((address) => address !== '');
    const body = {
      name: textOf('name'),
      ...(kind === 'email' && { to: lines }),
      // What is left empty stays as it is stored.
      ...(textOf('url') !== '' && { url: textOf('url') }),
      ...(textOf('secret') !== '' && { secret: textOf('secret') }),
    };
    if (channel === null) return api.createAlertChannel({ body: { kind, ...body } });
    return api.updateAlertChannel({ path: { id: channel.id }, body });
  };
  const needsUrl = channel?.host == null;
  const isRefused = kind === 'email' && capabilities?.alert_email === false;
  return (
    <FormDialog
      title={channel === null ? 'New channel' : `Edit ${channel.name}`}
      action="Save"
      failed="The channel could not be saved"
      paths={['name', 'kind', 'url', 'secret', 'to']}
      canSend={!isRefused}
      send={send}
      onSent={() => {
        onSaved();
        onClose();
      }}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <TextField label="Name" name="name" required defaultValue={channel?.name} fault={faults.at('name')} />
          {channel === null && (
            <SelectField
              label="Kind"
              options={KIND_OPTIONS}
              value={kind}
              onChange={({ target }) => setKind(target.value as AlertChannelKind)}
              fault={faults.at('kind')}
            />
          )}
          {kind === 'email' ? (
            <TextArea
              label="Addresses"
              name="to"
              rows={3}
              required
              hint="One per line."
              defaultValue={channel?.to.join('\n')}
              fault={isRefused ? NO_MAIL : faults.at('to')}
            />
          ) : (
            <TextField
              label="URL"
              name="url"
              type="url"
              required={needsUrl}
              placeholder={channel?.host ?? ''}
              hint={needsUrl ? 'Stored encrypted, never shown again.' : 'Leave empty to keep the stored one.'}
              fault={faults.at('url')}
            />
          )}
          {kind === 'webhook' && (
            <TextField
              label="Signing secret"
              name="secret"
              type="password"
              autoComplete="new-password"
              hint={
                channel?.signed === true
                  ? 'Leave empty to keep the stored one.'
                  : 'The receiver uses it to verify that a request came from this server (Standard Webhooks).'
              }
              fault={faults.at('secret')}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
