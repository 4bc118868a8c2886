import styles from './terms.module.css';

const TERMS: readonly (readonly [string, string])[] = [
  ['Sample', 'One try of a datapoint. A run tries each datapoint as often as its repeats say.'],
  ['Mean', 'Every datapoint counts once, however often it was tried.'],
  [
    '95% interval',
    'Where the mean of many such datapoints may be. The interval is found by a method that holds the truth 95 times of 100.',
  ],
  ['Standard error', 'How far the mean would differ if other datapoints of the kind had been chosen.'],
  ['Pass rate', 'The share of tries with the pass score or a higher one.'],
  [
    'Flaky',
    'Datapoints that pass in some of their tries and fail in others. Spread of tries is how far their scores differ.',
  ],
  [
    'pass@k, pass^k',
    'How often at least one of k tries passes, and how often all of them do; behind ± is the standard error.',
  ],
  [
    'No difference shown',
    'That does not say there is none. A change of the amount beside it would have been shown four times of five.',
  ],
  ['p', 'How often runs that are alike differ by so much or more. Below 0.05 the difference counts as shown.'],
];

/** What the words of statistics mean. */
export function Terms() {
  return (
    <details className={styles.terms}>
      <summary>What these numbers mean</summary>
      <dl>
        {TERMS.map(([term, meaning]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p>
        The file <code>docs/evaluations.md</code> of Spandrel explains them with an example.
      </p>
    </details>
  );
}
