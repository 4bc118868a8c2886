import type { StatusName } from '@spandrel/contract';

/** Statuses as the tables hold them; completed, by far the most, is what the partial indexes leave out. */
export const STATUS = { running: 0, completed: 1, failed: 2 } as const satisfies Record<StatusName, number>;

const NAMES: readonly StatusName[] = ['running', 'completed', 'failed'];

export const statusName = (status: number): StatusName => NAMES[status] ?? 'running';
