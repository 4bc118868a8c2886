import { Badge, StatusBadge, type StatusWord } from '../../components/badge.js';

/** The status of a result: one whose output could not be scored says so. */
export function ResultBadge({ status, output }: { status: StatusWord; output: string | null }) {
  return isUnscored({ status, output }) ? <Badge tone="failed">{NOT_SCORED}</Badge> : <StatusBadge status={status} />;
}

/** Whether the model answered, and its answer could not be scored. */
export const isUnscored = ({ status, output }: { status: string; output: string | null }): boolean =>
  status === 'failed' && output !== null;

export const NOT_SCORED = 'Not scored';
