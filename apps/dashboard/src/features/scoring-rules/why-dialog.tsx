import type { ScoringRuleResource, ScoringTargetIds } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { Dialog } from '../../components/dialog.js';
import { QueryFault } from '../../components/page-parts.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { Time } from '../../components/time.js';
import { describeDecision } from './rule-words.js';
import { scoringRuleAddress } from './scoring-rules.js';
import styles from './scoring-rules.module.css';

/** What is pending is asked for again this far apart. */
const BETWEEN_MS = 2_000;

interface WhyDialogProps {
  rules: readonly ScoringRuleResource[];
  target: ScoringTargetIds;
  onClose(): void;
}

/** Why rules scored one trace, span or session or did not, a part a rule. */
export function WhyDialog({ rules, target, onClose }: WhyDialogProps) {
  return (
    <Dialog title="Why was this not scored?" onClose={onClose}>
      <div className={styles.form}>
        {rules.map((rule) => (
          <Decision key={rule.id} rule={rule} target={target} />
        ))}
      </div>
    </Dialog>
  );
}

function Decision({ rule, target }: Omit<WhyDialogProps, 'rules' | 'onClose'> & { rule: ScoringRuleResource }) {
  const { times } = usePreferences();
  const query = useQuery({
    queryKey: keys.scoringDecision(rule.id, target),
    queryFn: ({ signal }) => api.explainScoring({ path: { id: rule.id }, query: target, signal }),
    staleTime: 0,
    // An attempt ends by itself.
    refetchInterval: ({ state }) => state.data?.decision === 'pending' && BETWEEN_MS,
  });
  const { data } = query;
  return (
    <section aria-label={rule.name}>
      <h3 dir="auto">
        <Link to={scoringRuleAddress(rule.id)}>{rule.name}</Link>
      </h3>
      <QueryFault title="The decision could not be loaded" query={query} />
      {data && <p>{describeDecision(data, rule, times)}</p>}
      {data !== undefined && data.attempts.length > 0 && (
        <ol aria-label="Attempts">
          {data.attempts.map(({ at, error, status }) => (
            <li key={at}>
              <Time at={at} />: <bdi>{error ?? 'no score'}</bdi>
              {status !== null && ` (status ${status})`}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
