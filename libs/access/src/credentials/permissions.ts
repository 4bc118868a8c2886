import type { Permission } from '@spandrel/contract';
import type { ApiKeyRow } from './api-key.entity.js';

/** What a stored key may do; the wire and the table call it `scopes`. */
export const permissionsOf = (row: Pick<ApiKeyRow, 'scopes'>): Permission[] => JSON.parse(row.scopes) as Permission[];
