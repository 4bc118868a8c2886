/** How long a statement waits for a lock that another transaction holds; a waiting migration lets others pass sooner. */
const LOCK_MS_MAX = 10_000;
const MIGRATION_LOCK_MS_MAX = 2_000;
/** How long a transaction may do nothing: this process is gone, or hangs, and must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS_MAX = 60_000;

/**
 * What is kept on a connection from one transaction to the next. A pooler in transaction mode gives each transaction a
 * connection to the server of its own choice: what is kept there would be lost, or meet another program.
 */
export interface ConnectionKeeping {
  /** Sets the timeouts, on a new connection; nothing where nothing is kept. */
  onConnect: string;
  /** Begins a transaction. */
  begin: string;
  /** Whether statements are prepared once a connection. */
  prepares: boolean;
}

/**
 * @param isPooled whether a pooler in transaction mode is on the way.
 * @param statementTimeoutMs how long a statement may take; `null`: as long as it takes.
 */
export function connectionKeeping(isPooled: boolean, statementTimeoutMs: number | null): ConnectionKeeping {
  if (!isPooled) return { onConnect: timeouts('set', statementTimeoutMs), begin: 'begin; ', prepares: true };
  return { onConnect: '', begin: `begin; ${timeouts('set local', statementTimeoutMs)}`, prepares: false };
}

function timeouts(set: 'set' | 'set local', statementTimeoutMs: number | null): string {
  const lockMs =
    statementTimeoutMs === null ? MIGRATION_LOCK_MS_MAX : Math.min(LOCK_MS_MAX, Math.ceil(statementTimeoutMs / 2));
  const idleMs = statementTimeoutMs === null ? 0 : IDLE_IN_TRANSACTION_MS_MAX;
  return `${set} statement_timeout = ${statementTimeoutMs ?? 0}; ${set} lock_timeout = ${lockMs};
    ${set} idle_in_transaction_session_timeout = ${idleMs}; `;
}
