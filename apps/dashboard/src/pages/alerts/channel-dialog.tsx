import type { AlertChannelKind, AlertChannelResource } from '@spandrel/contract';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { NO_MAIL } from '../../features/alerts/alerts.js';
import { useCapabilities } from '../../features/browser-session.js';
import { FormDialog } from '../../features/dialogs.js';

export const KINDS: Readonly<Record<AlertChannelKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  teams: 'Teams',
  email: 'Email',
};
const KIND_OPTIONS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

interface ChannelDialogProps {
  /** `null` for a new one. */
  channel: AlertChannelResource | null;
  onSaved(): void;
  onClose(): void;
}

/** Where alerts are sent to, by fields that fit the kind. */
export function ChannelDialog({ channel, onSaved, onClose }: ChannelDialogProps) {
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
