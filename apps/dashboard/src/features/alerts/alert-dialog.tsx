import type { AlertResource, FacetName } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { capitalized } from '../../components/format.js';
import { api } from '../../api/api.js';
import { CheckboxField, SelectField, TextField } from '../../components/field.js';
import { QueryFault } from '../../components/page-parts.js';
import { FormDialog } from '../dialogs.js';
import { FacetField } from '../filters/facet-field.js';
import {
  AGAINST,
  CONDITIONS,
  fieldsOfCondition,
  isChange,
  readAlert,
  type AlertDraft,
  type Filter,
} from './alert-form.js';
import { describeLength, MEASURES } from './alert-words.js';
import { useCapabilities } from '../browser-session.js';
import { CHANNELS, NO_MAIL, rereadAlerts } from './alerts.js';
import styles from './alert-dialog.module.css';

export interface AlertDialogProps {
  /** The alert that is changed, or what a new one begins with. */
  alert: AlertResource | AlertDraft;
  onSaved?(saved: AlertResource): void;
  onClose(): void;
}

type Options = readonly { value: string; label: string }[];

const PATHS = [
  'name',
  'measure',
  'filters',
  'group_by',
  'window',
  'condition',
  'min_count',
  'for',
  'cooldown',
  'severity',
];
const MEASURE_OPTIONS = Object.entries(MEASURES).map(([value, { words }]) => ({ value, label: words }));
const WINDOWS = ['5m', '15m', '30m', '1h', '6h', '12h', '1d', '7d', '30d'];
const WAITS = ['5m', '10m', '30m', '1h', '6h', '1d'];
const FACETS: readonly [string, Filter, FacetName][] = [
  ['Model', 'model', 'model'],
  ['Provider', 'provider', 'provider'],
  ['Tag', 'tag', 'tag'],
  ['User', 'user', 'user'],
  ['Session', 'session', 'session'],
  ['Trace name', 'name', 'trace_name'],
];

/** Words, with the first letter large. */
const optionsOf = (...values: string[]): Options => values.map((value) => ({ value, label: capitalized(value) }));

/** Lengths of time to choose from; one that an alert has and that is none of them comes, too. */
function lengths(offered: readonly string[], chosen: string | null | undefined, none?: string): Options {
  const all = !chosen || offered.includes(chosen) ? offered : [...offered, chosen];
  const words = all.map((value) => ({ value, label: describeLength(value) }));
  return none === undefined ? words : [{ value: '', label: none }, ...words];
}

const isMail = ({ kind }: { kind: string }): boolean => kind === 'email';

/** All that an alert has. */
export function AlertDialog({ alert, onSaved, onClose }: AlertDialogProps) {
  const id = 'id' in alert ? alert.id : null;
  const client = useQueryClient();
  const channels = useQuery(CHANNELS);
  const sendsMail = useCapabilities()?.alert_email !== false;
  const [measure, setMeasure] = useState(alert.measure);
  const initial = fieldsOfCondition(alert);
  const [kind, setKind] = useState(initial.kind);
  const isOfScores = measure.startsWith('score_');
  const isOfRules = measure === 'scoring_stalled';
  const { filters = {} } = alert;
  const unit = isChange(kind) ? '%' : MEASURES[measure].unit;
  const send = (form: FormData): Promise<AlertResource> => {
    const body = readAlert(form);
    return id === null ? api.createAlert({ body }) : api.updateAlert({ path: { id }, body });
  };
  return (
    <FormDialog
      title={id === null ? 'New alert' : `Edit ${alert.name}`}
      size="large"
      action={id === null ? 'Create alert' : 'Save'}
      failed="The alert could not be saved"
      paths={PATHS}
      // Channels that are not shown would be taken away.
      canSend={channels.isSuccess}
      send={send}
      onSent={(saved) => {
        void rereadAlerts(client);
        onSaved?.(saved);
        onClose();
      }}
      onClose={onClose}
      className={styles.form}
    >
      {(faults) => {
        const filter = (name: Filter, label: string) => {
          const path = `filters.${name}`;
          return { label, name: path, defaultValue: filters[name] ?? '', fault: faults.at(path) };
        };
        const choice = (name: string, label: string, options: Options, defaultValue: string, hint?: string) => (
          <SelectField {...{ name, label, options, defaultValue }} {...(hint && { hint })} fault={faults.at(name)} />
        );
        return (
          <>
            <TextField
              {...{ label: 'Name', name: 'name', required: true, className: styles.wide, fault: faults.at('name') }}
              defaultValue={alert.name}
            />
            <SelectField
              {...{ label: 'Measure', name: 'measure', options: MEASURE_OPTIONS, value: measure }}
              onChange={({ target }) => setMeasure(target.value as typeof measure)}
              fault={faults.at('measure')}
            />
            {isOfScores && <TextField required {...filter('score_name', 'Score name')} />}
            {choice('window', 'Window', lengths(WINDOWS, alert.window), alert.window ?? '1h')}
            <SelectField
              {...{ label: 'Condition', name: 'condition', value: kind }}
              options={isOfRules ? CONDITIONS.slice(0, 2) : CONDITIONS}
              onChange={({ target }) => setKind(target.value)}
            />
            <TextField
              {...{ name: 'limit', inputMode: 'decimal', required: true, defaultValue: initial.limit }}
              label={unit === '' ? 'Threshold' : `Threshold (${unit})`}
              fault={faults.at('condition')}
            />
            {isChange(kind) && choice('against', 'Against', AGAINST, initial.against)}
            {!isOfRules && (
              <>
                {choice(
                  'group_by',
                  'Split by',
                  [{ value: 'none', label: 'Nothing' }, ...optionsOf('user', 'model', 'tag', 'session')],
                  alert.group_by ?? 'none',
                  'Each is measured and fires by itself.',
                )}
                {FACETS.filter(([, name]) => name !== 'provider' || !isOfScores).map(([label, name, facet]) => (
                  <FacetField key={name} facet={facet} {...filter(name, label)} />
                ))}
              </>
            )}
            <TextField
              {...{ label: 'Minimum count', name: 'min_count', type: 'number', min: 0, fault: faults.at('min_count') }}
              defaultValue={alert.min_count ?? 0}
              hint="With fewer spans, calls or scores there is no data."
            />
            {choice('for', 'Must hold for', lengths(WAITS, alert.for, 'Fires at once'), alert.for ?? '')}
            {choice(
              'cooldown',
              'Cooldown',
              lengths(WAITS, alert.cooldown, 'None'),
              alert.cooldown ?? '',
              'For so long it is not sent again.',
            )}
            {choice('severity', 'Severity', optionsOf('info', 'warning', 'critical'), alert.severity ?? 'warning')}
            <fieldset className={styles.wide}>
              <legend>Channels</legend>
              <QueryFault title="Channels could not be loaded" query={channels} />
              {channels.data?.map((channel) => (
                <CheckboxField
                  key={channel.id}
                  {...{ label: <bdi>{channel.name}</bdi>, name: 'channel_ids', value: channel.id }}
                  defaultChecked={alert.channel_ids?.includes(channel.id) === true}
                  // One that the alert has may be taken away.
                  disabled={!sendsMail && isMail(channel) && alert.channel_ids?.includes(channel.id) !== true}
                />
              ))}
              {!sendsMail && channels.data?.some(isMail) && <p>{NO_MAIL}</p>}
              {channels.data?.length === 0 && (
                <p>
                  None yet: the alert is seen here alone.{' '}
                  <Link to="/alerts" search={{ tab: 'channels' }}>
                    Make a channel
                  </Link>{' '}
                  to have it sent.
                </p>
              )}
            </fieldset>
            <CheckboxField label="Enabled" name="enabled" defaultChecked={alert.enabled !== false} />
          </>
        );
      }}
    </FormDialog>
  );
}
