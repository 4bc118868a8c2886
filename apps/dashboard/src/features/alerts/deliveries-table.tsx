import type { AlertChannelResource } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { Badge } from '../../components/badge.js';
import { capitalized, formatId } from '../../components/format.js';
import { QueryFault } from '../../components/page-parts.js';
import { Time } from '../../components/time.js';
import { DataTable } from '../statistics/data-table.js';
import { RENEWED_EVERY_MS } from './alerts.js';

const SHOWN_MAX = 50;
const COLUMNS = ['Since', 'Channel', 'What', 'Status', 'Attempts', 'Error'];
const TONES = { pending: 'running', delivered: 'ok', failed: 'failed' } as const;

interface DeliveriesTableProps {
  channels: readonly AlertChannelResource[];
  /** Leaves out what other alerts sent. */
  alertId?: string;
}

/** What channels were sent lately, and what became of it; the newest first. */
export function DeliveriesTable({ channels, alertId }: DeliveriesTableProps) {
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const query = useQuery({
    queryKey: ['alert-deliveries', [...names.keys()], alertId],
    queryFn: async ({ signal }) => {
      const asked = { limit: SHOWN_MAX, ...(alertId !== undefined && { alert_id: alertId }) };
      const lists = await Promise.all(
        [...names.keys()].map((id) => api.listAlertDeliveries({ path: { id }, query: asked, signal })),
      );
      const all = lists.flatMap(({ deliveries }) => deliveries);
      return all.toSorted((a, b) => b.created_at.localeCompare(a.created_at)).slice(0, SHOWN_MAX);
    },
    refetchInterval: RENEWED_EVERY_MS,
  });
  const rows = query.data?.map(
    ({ id, created_at: at, channel_id: channel, event, key, status, attempts, last_error: error }) =>
      [
        id,
        <Time key="at" at={at} />,
        <bdi key="channel">{names.get(channel)}</bdi>,
        <bdi key="what">{key === null ? capitalized(event) : `${capitalized(event)}: ${formatId(key)}`}</bdi>,
        <Badge key="status" tone={TONES[status]}>
          {capitalized(status)}
        </Badge>,
        attempts,
        <span key="error" data-wraps>
          {error ?? NONE}
        </span>,
      ] as const,
  );
  return (
    <>
      <QueryFault title="Deliveries could not be loaded" query={query} />
      {rows?.length === 0 && <p>Nothing was sent in the last 30 days.</p>}
      {rows !== undefined && rows.length > 0 && (
        <DataTable caption="Deliveries" columns={COLUMNS} starts={COLUMNS} rows={rows} />
      )}
    </>
  );
}
