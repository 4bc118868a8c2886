import { formatTimestamp, type ConnectionResource } from '@spandrel/contract';
import type { ConnectionRow } from './connection.entity.js';

/** A connection as every answer shows it: nothing of its key. */
export const connectionResource = (row: ConnectionRow): ConnectionResource => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  base_url: row.baseUrl,
  default_model: row.defaultModel,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
});
