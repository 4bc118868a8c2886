import styles from './terms.module.css';

const TERMS: readonly (readonly [string, string])[] = [
  ['Sample', 'One attempt at a datapoint. A run makes as many attempts per datapoint as its repeats say.'],
  ['Mean', 'Every datapoint counts once, whatever its number of attempts.'],
  [
    '95% interval',
    'The range in which the true mean probably lies. Intervals computed this way contain it 95 times out of 100.',
  ],
  ['Standard error', 'How much the mean would vary with other datapoints of the same kind.'],
  ['Pass rate', 'The share of attempts that reach the pass score.'],
  [
    'Flaky',
    'Datapoints that pass in some attempts and fail in others. Spread of tries is how much their scores differ.',
  ],
  [
    'pass@k, pass^k',
    'How often at least one of k attempts passes, and how often all of them do. The number after ± is the standard error.',
  ],
  [
    'No difference shown',
    'This does not mean there is none. A change of the amount beside it would be detected four times out of five.',
  ],
  ['p', 'How often equal runs would differ by this much or more. Below 0.05, the difference counts as shown.'],
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
