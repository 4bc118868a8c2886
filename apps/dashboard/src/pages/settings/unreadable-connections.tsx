import { useQuery } from '@tanstack/react-query';
import { formatCounted } from '@spandrel/contract/browser';
import { listConnections } from '../../api/connections.js';
import { FaultNotice } from '../../components/fault-notice.js';

const causeOf = (names: readonly string[]): Error =>
  new Error(
    `${names.join(', ')}: encrypted with another secret key than this server has, so that evaluations cannot call ` +
      `${names.length === 1 ? 'it' : 'them'} here. Whoever runs the server can bring that key back ` +
      '(SPANDREL_SECRET_KEY or SPANDREL_SECRET_KEY_PREVIOUS); a connection that is given its API key again works at once.',
  );

/** Says when keys of the project's connections cannot be read by the server that answers; nothing otherwise. */
export function UnreadableConnections() {
  const { data } = useQuery({
    queryKey: ['connections', 'keys'],
    queryFn: ({ signal }) => listConnections(null, signal),
  });
  const unreadable = data?.rows.filter(({ key_status: status }) => status === 'unreadable') ?? [];
  if (unreadable.length === 0) return null;
  return (
    <FaultNotice
      title={`The ${unreadable.length === 1 ? 'key' : 'keys'} of ${formatCounted(unreadable.length, 'connection')} cannot be read`}
      error={causeOf(unreadable.map(({ name }) => name))}
    />
  );
}
