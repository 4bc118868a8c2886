import { Icon } from '../components/icon.js';
import { useLiveState } from '../live/live-updates.js';
import styles from './shell.module.css';

const WORDS = { live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' } as const;

/** Whether the pages hear of changes. @param audience the project whose changes they are. */
export function LiveStatus({ audience }: { audience: string }) {
  const state = useLiveState(audience);
  return (
    <span role="status" aria-label="Live updates" className={styles.live} data-state={state}>
      <Icon name="live" />
      {WORDS[state]}
    </span>
  );
}
