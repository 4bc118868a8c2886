import type { AlertChannelResource, AlertResource } from '@spandrel/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { shortList } from '../../api/api.js';
import type { ListId } from '@spandrel/sdk/api';

/** No event says that an alert was evaluated. */
export const RENEWED_EVERY_MS = 15_000;

/** A project has a hundred alerts, and fewer channels. */
const allOf = <Row>(key: string, operation: ListId) =>
  queryOptions({
    queryKey: [key],
    queryFn: ({ signal }) => shortList<Row>(operation, signal),
    refetchInterval: RENEWED_EVERY_MS,
  });

/** The alerts of the project, and where they are sent to. */
export const ALERTS = allOf<AlertResource>('alerts', 'listAlerts');
export const CHANNELS = allOf<AlertChannelResource>('alert-channels', 'listAlertChannels');

/** Reads alerts again with all that is shown of them, after one changed. */
export const rereadAlerts = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: ALERTS.queryKey });

/** The address of an alert. */
export const alertAddress = (id: string): string => `/alerts/${encodeURIComponent(id)}`;

/** Why no email is sent, where the server has no `alerts.smtp`. */
export const NO_MAIL = 'This server sends no email: its operator sets the mail server (alerts.smtp).';
