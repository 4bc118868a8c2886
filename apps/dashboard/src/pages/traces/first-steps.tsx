import { useState } from 'react';
import { Button, useMayWrite } from '../../components/button.js';
import { useLater } from '../../components/hooks.js';
import { readStored, store } from '../../components/storage.js';
import styles from './first-steps.module.css';
import { lazyPart } from '../../components/lazy-part.js';

const STORAGE_KEY = 'spandrel.first-steps';
const DISMISSED = 'dismissed';

const AWAITED = <p className={styles.awaited} />;
const StepList = lazyPart(async () => (await import('./step-list.js')).StepList, AWAITED);

/**
 * What somebody new does first, until it is dismissed in this browser. Who may only read cannot take any of the steps.
 * @param hasTrace whether a trace is there; `null` while that is awaited, `undefined` where the list cannot say.
 */
export function FirstSteps({ hasTrace }: { hasTrace: boolean | null | undefined }) {
  const [isDismissed, setIsDismissed] = useState(() => readStored(STORAGE_KEY) === DISMISSED);
  const isLater = useLater();
  const dismiss = (): void => {
    store(STORAGE_KEY, DISMISSED);
    setIsDismissed(true);
  };
  if (!useMayWrite() || isDismissed) return null;
  return (
    <section aria-labelledby="first-steps" className={styles.steps}>
      <h2 id="first-steps">First steps</h2>
      {/* The lines of the steps are kept for them; the rows come first. */}
      {hasTrace === null || !isLater ? AWAITED : <StepList hasTrace={hasTrace} />}
      <Button variant="quiet" icon="close" iconOnly className={styles.dismiss} onClick={dismiss}>
        Dismiss first steps
      </Button>
    </section>
  );
}
