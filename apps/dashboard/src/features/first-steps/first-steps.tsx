import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FIRST_STEPS } from '../../api/first-steps.js';
import { hasAnyTrace } from '../../api/traces.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { Icon } from '../../components/icon.js';
import styles from './first-steps.module.css';

const STORAGE_KEY = 'spandrel.first-steps';
const DISMISSED = 'dismissed';

export interface FirstStepsProps {
  /** Whether a trace is there; `null` while that is awaited, `undefined` where the list cannot say. */
  hasTrace: boolean | null | undefined;
}

/** A step with how it is done; whether it was is told by what is there. */
interface Step {
  label: string;
  how: string;
  isDone: boolean | undefined;
}

const LATER_STEPS = [
  { kind: 'datasets', label: 'Make a dataset', how: 'Open a trace, choose a span, and press Add to dataset.' },
  { kind: 'connections', label: 'Add a connection', how: 'Connections holds the key that evaluations call with.' },
  { kind: 'runs', label: 'Evaluate', how: 'Open a dataset, and press Evaluate.' },
  { kind: 'queue', label: 'Review', how: 'Select datapoints, and press Send to review.' },
] as const;

/** What somebody new does first, ticked as it is done, until it is dismissed in this browser. */
export function FirstSteps({ hasTrace }: FirstStepsProps) {
  const [isDismissed, setIsDismissed] = useState(wasDismissed);
  const later = useQueries({
    queries: LATER_STEPS.map(({ kind }) => ({
      queryKey: keys.firstStep(kind),
      queryFn: ({ signal }: { signal: AbortSignal }) => FIRST_STEPS[kind](signal),
      enabled: !isDismissed,
    })),
  });
  const trace = useQuery({
    queryKey: keys.hasTrace(),
    queryFn: ({ signal }) => hasAnyTrace(signal),
    enabled: !isDismissed && hasTrace === undefined,
  });
  if (isDismissed) return null;
  const steps: Step[] = [
    { label: 'Record a call', how: 'Point a client at the gateway.', isDone: hasTrace ?? trace.data },
    ...LATER_STEPS.map((step, n) => ({ ...step, isDone: later[n]!.data })),
  ];
  const next = steps.find(({ isDone }) => isDone !== true);
  const dismiss = (): void => {
    noteDismissed();
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
            {step === next && step.isDone === false && <span className={styles.how}>{step.how}</span>}
          </li>
        ))}
      </ol>
      <Button variant="quiet" icon="close" iconOnly onClick={dismiss}>
        Dismiss first steps
      </Button>
    </section>
  );
}

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) === DISMISSED;
  } catch {
    return false;
  }
}

function noteDismissed(): void {
  try {
    localStorage.setItem(STORAGE_KEY, DISMISSED);
  } catch {
    // Without storage they come again with the next visit.
  }
}
