import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, listPage, type Query } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { Button, useMayWrite } from '../../components/button.js';
import { useLater } from '../../components/hooks.js';
import { Icon } from '../../components/icon.js';
import { readStored, store } from '../../components/storage.js';
import styles from './first-steps.module.css';

const STORAGE_KEY = 'spandrel.first-steps';
const DISMISSED = 'dismissed';

interface FirstStepsProps {
  /** Whether a trace is there; `null` while that is awaited, `undefined` where the list cannot say. */
  hasTrace: boolean | null | undefined;
}

/** What somebody new does first, until it is dismissed in this browser. Who may only read cannot take any of the steps. */
export function FirstSteps({ hasTrace }: FirstStepsProps) {
  const [isDismissed, setIsDismissed] = useState(() => readStored(STORAGE_KEY) === DISMISSED);
  const dismiss = (): void => {
    store(STORAGE_KEY, DISMISSED);
    setIsDismissed(true);
  };
  if (!useMayWrite() || isDismissed) return null;
  return (
    <section aria-labelledby="first-steps" className={styles.steps}>
      <h2 id="first-steps">First steps</h2>
      <StepList hasTrace={hasTrace} />
      <Button variant="quiet" icon="close" iconOnly className={styles.dismiss} onClick={dismiss}>
        Dismiss first steps
      </Button>
    </section>
  );
}

interface Step {
  label: string;
  how: string;
  isDone: boolean | undefined;
}

/** The steps, ticked as they are done, and how the next one is. They are asked for after the rows. */
function StepList({ hasTrace }: FirstStepsProps) {
  const isLater = useLater() && hasTrace !== null;
  const trace = useIsAny('traces', isLater && hasTrace === undefined);
  const first = { label: 'Record a call', how: 'Point a client at the gateway.', isDone: hasTrace ?? trace };
  const steps: Step[] = [first, ...useLaterSteps(isLater)];
  const next = steps.find(({ isDone }) => isDone !== true);
  return (
    <>
      <ol>
        {steps.map((step) => (
          <li key={step.label} data-done={step.isDone === true || undefined}>
            <span className={styles.mark}>{step.isDone === true && <Icon name="check" size={12} />}</span>
            <span className={styles.label}>{step.label}</span>
            {step.isDone === true && <span className="visually-hidden">, done</span>}
          </li>
        ))}
      </ol>
      {/* Its line is kept while it is not known, so that what is below stays where it is. */}
      <p className={styles.how}>{next?.isDone === false && next.how}</p>
    </>
  );
}

/** Each is asked only where the answers to others leave it open: no run without a dataset and a connection, no review without a dataset. */
function useLaterSteps(isLater: boolean): Step[] {
  const dataset = useIsAny('datasets', isLater);
  const run = useIsAny('runs', dataset === true);
  const connection = useIsAny('connections', dataset === false || run === false);
  const review = useIsAny('queue', dataset === true && run !== undefined);
  return [
    { label: 'Make a dataset', how: 'Open a trace, choose a span, and press Add to dataset.', isDone: dataset },
    {
      label: 'Add a connection',
      how: 'Connections hold the provider keys that evaluations use.',
      isDone: (dataset && run) || connection,
    },
    { label: 'Evaluate', how: 'Open a dataset, and press Evaluate.', isDone: dataset && run },
    { label: 'Review', how: 'Select datapoints, and press Send to review.', isDone: dataset && review },
  ];
}

const LISTS = {
  traces: 'listTraces',
  datasets: 'listDatasets',
  connections: 'listConnections',
  runs: 'listEvalRuns',
} as const;
/** Results that were sent from elsewhere needed no connection and no press on Evaluate. */
const OWN: Partial<Record<keyof typeof LISTS, Query>> = { runs: { execution: 'server' } };

/** Whether there is any of a kind, in the queue any that was submitted; `undefined` until it is known. */
function useIsAny(kind: keyof typeof LISTS | 'queue', enabled: boolean): boolean | undefined {
  const ask = async (signal: AbortSignal): Promise<boolean> => {
    if (kind !== 'queue')
      return (await listPage(LISTS[kind], { query: { limit: 1, ...OWN[kind] }, signal })).rows.length > 0;
    return (await api.countQueue({ signal })).datasets.some(({ completed }) => completed > 0);
  };
  return useQuery({ queryKey: keys.firstStep(kind), queryFn: ({ signal }) => ask(signal), enabled }).data;
}
