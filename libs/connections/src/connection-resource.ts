import { formatTimestamp, type ConnectionResource, type ExportedConnection } from '@spandrel/contract';
import type { ConnectionRow } from './connection.entity.js';
import type { KeyRing } from './keys/key-ring.js';
import { unseal, UnsealError } from './keys/sealing.js';

/** A connection as an export has it: nothing of its key. */
export const exportedConnection = (row: ConnectionRow): ExportedConnection => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  base_url: row.baseUrl,
  default_model: row.defaultModel,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
});

/** A connection as every answer shows it: nothing of its key but whether it can be read. */
export const connectionResource = (row: ConnectionRow, ring: KeyRing): ConnectionResource => ({
  ...exportedConnection(row),
  key_status: keyStatus(row, ring),
});

/** Tries to decrypt the key, which costs microseconds: its id says nothing of a row that was changed, or copied to another project. */
function keyStatus(row: ConnectionRow, ring: KeyRing): ConnectionResource['key_status'] {
  try {
    unseal(row, ring, row);
    return 'readable';
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    return error.reason === 'no-key' ? 'missing' : 'unreadable';
  }
}
