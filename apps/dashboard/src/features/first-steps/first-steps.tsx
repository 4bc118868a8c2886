import { readStored, store } from '../../components/storage.js';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FIRST_STEPS } from '../../api/first-steps.js';
import { hasAnyTrace } from '../../api/traces.js';
import { keys } from '../../api/keys.js';
import { Button, useMayWrite } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import styles from './first-steps.module.css';

const STORAGE_KEY = 'spandrel.first-steps';
const DISMISSED = 'dismissed';

export interface FirstStepsProps {
  /** Whether a trace is there; `null` while that is awaited, `undefined` where the list cannot say. */
  hasTrace: boolean | null | undefined;
}

/** A step with how it is done; whether it was follows from what is there. */
interface Step {
  label: string;
  how: string;
  isDone: boolean | undefined;
}

/** What somebody new does first, ticked as it is done, until it is dismissed in this browser. */
export function FirstSteps({ hasTrace }: FirstStepsProps) {
  const [isGone, setIsDismissed] = useState(() => readStored(STORAGE_KEY) === DISMISSED);
  const mayWrite = useMayWrite();
  // Who may only read cannot take any of them.
  const isDismissed = isGone || !mayWrite;
  const later = useLaterSteps(!isDismissed);
  const trace = useQuery({
    queryKey: keys.hasTrace(),
    queryFn: ({ signal }) => hasAnyTrace(signal),
    enabled: !isDismissed && hasTrace === undefined,
  });
  if (isDismissed) return null;
  const steps: Step[] = [
    { label: 'Record a call', how: 'Point a client at the gateway.', isDone: hasTrace ?? trace.data },
    ...later,
  ];
  const next = steps.find(({ isDone }) => isDone !== true);
  const dismiss = (): void => {
    store(STORAGE_KEY, DISMISSED);
    setIsDismissed(true);
  };
  return (
    <section aria-labelledby="first-steps" className={styles.steps}>
      <h2 id="first-steps">First steps</h2>
      <ol>
        {steps.map((step) => (
          <li key={step.label} data-done={step.isDone === true || undefined}>
            <span className={styles.mark}>{step.isDone === true && <Icon name="check" size={12} />}</span>
            <span className={styles.label}>{step.label}</span>
            {step.isDone === true && <span className="visually-hidden">, done</span>}
          </li>
        ))}
      </ol>
      <Button variant="quiet" icon="close" iconOnly onClick={dismiss}>
        Dismiss first steps
      </Button>
      {/* Its line is kept while it is not known, so that what is below stays where it is. */}
      <p className={styles.how}>{next?.isDone === false && next.how}</p>
    </section>
  );
}

/** Each is asked only where the answers to others leave it open: no run without a dataset and a connection, no review without a dataset. */
function useLaterSteps(isAsked: boolean): Step[] {
  const dataset = useIsAny('datasets', isAsked);
  const run = useIsAny('runs', isAsked && dataset === true);
  const connection = useIsAny('connections', isAsked && (dataset === false || run === false));
  const review = useIsAny('queue', isAsked && dataset === true && run !== undefined);
  return [
    { label: 'Make a dataset', how: 'Open a trace, choose a span, and press Add to dataset.', isDone: dataset },
    {
      label: 'Add a connection',
      how: 'Connections holds the key that evaluations call with.',
      isDone: (dataset && run) || connection,
    },
    { label: 'Evaluate', how: 'Open a dataset, and press Evaluate.', isDone: dataset && run },
    { label: 'Review', how: 'Select datapoints, and press Send to review.', isDone: dataset && review },
  ];
}

/** @returns `undefined` until it is known. */
function useIsAny(kind: keyof typeof FIRST_STEPS, isAsked: boolean): boolean | undefined {
  return useQuery({
    queryKey: keys.firstStep(kind),
    queryFn: ({ signal }) => FIRST_STEPS[kind](signal),
    enabled: isAsked,
  }).data;
}
