import type { ReviewTarget, ScoreResource, ScoringTargetIds } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { listPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { EMBEDDED, SHARE_TOKEN } from '../../api/share-token.js';
import { Button } from '../../components/button.js';
import { useSettled } from '../../components/hooks.js';
import { SendToReview } from '../send-to-review.js';
import { QueryFault } from '../../components/page-parts.js';
import { SCORING_RULES } from '../scoring-rules/scoring-rules.js';
import { scoreText } from '@spandrel/contract/browser';
import type { ScoreTarget } from './score-answer.js';
import { useHasFeature } from '../browser-session.js';
import styles from './score-list.module.css';
import { DialogButton, lazyPart } from '../../components/lazy-part.js';

const WhyDialog = lazyPart(async () => (await import('../scoring-rules/why-dialog.js')).WhyDialog);
const ScoreDialog = lazyPart(async () => (await import('./score-dialog.js')).ScoreDialog);

/** Scores that a page shows of a trace or session, the newest. */
const SCORES_MAX = 1_000;

/** Scores of a session, or of a trace and all its spans, which are read at once. */
function useScores(target: ScoreTarget) {
  const { span_id: _span, ...query } = { span_id: undefined, ...target };
  const has = useHasFeature('scores');
  const scores = useQuery({
    queryKey: keys.scores(query),
    // What a link opens came with its trace.
    enabled: EMBEDDED !== null || (SHARE_TOKEN === null && has === true),
    queryFn: async ({ signal }) =>
      (await listPage<ScoreResource>('listScores', { query: { ...query, limit: SCORES_MAX }, signal })).rows,
  });
  return { isAbsent: has === false, scores };
}

/** Rules change rarely beside what is looked at. */
const RULES_STALE_MS = 60_000;
const RULES_AFTER_MS = 1_000;

interface ScoreListProps {
  label: string;
  target: ScoreTarget;
  /** What stands in the same row. */
  children?: ReactNode;
}

/** The scores of one trace, span or session as chips, which open to be changed, and the button that adds one. */
export function ScoreList({ label, target, children }: ScoreListProps) {
  const { isAbsent, scores: query } = useScores(target);
  const queryClient = useQueryClient();
  const [opened, setOpened] = useState<'new' | ScoreResource | null>(null);
  // Rules are asked for after all that shows the page.
  const isRead = useSettled(query.isSuccess, RULES_AFTER_MS);
  if (isAbsent) return children;
  const spanId = 'span_id' in target ? target.span_id : null;
  const [one, id] = reviewed(target);
  const scores = query.data?.filter((score) => score.span_id === (spanId ?? null)) ?? [];
  return (
    <div className={styles.scores}>
      <QueryFault title="The scores could not be loaded" query={query} />
      {scores.length > 0 && (
        <ul aria-label={label} className={styles.list}>
          {scores.map((score) => (
            <li key={score.id}>
              {SHARE_TOKEN !== null ? (
                <>
                  <ScoreWords score={score} /> {score.comment}
                </>
              ) : (
                <button
                  type="button"
                  className={styles.chip}
                  title={[`by ${score.author}`, score.source, score.comment].filter(Boolean).join(', ')}
                  onClick={() => setOpened(score)}
                >
                  <ScoreWords score={score} />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <Button writes variant="quiet" icon="plus" onClick={() => setOpened('new')}>
        Add score
      </Button>
      <SendToReview isOfPage one={one} chosen={{ rows: [id], count: 1, isMore: false }} />
      {children}
      {isRead && <WhyNotScored {...{ target, scores }} />}
      {opened !== null && (
        <ScoreDialog
          score={opened === 'new' ? null : opened}
          target={target}
          onChanged={() => void queryClient.invalidateQueries({ queryKey: keys.scores({}).slice(0, 1) })}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

const ScoreWords = ({ score }: { score: ScoreResource }) => (
  <>
    <bdi className={styles.name}>{score.name}</bdi> <bdi className={styles.value}>{scoreText(score)}</bdi>
  </>
);

/** The button that says why rules scored nothing here; nothing where each of those that judge such a thing did. */
function WhyNotScored({ target, scores }: { target: ScoreTarget; scores: readonly ScoreResource[] }) {
  const enabled = useHasFeature('online-scoring') === true;
  const { data = [] } = useQuery({ ...SCORING_RULES, enabled, staleTime: RULES_STALE_MS });
  const { span_id: span, trace_id: trace, session_id: session }: ScoringTargetIds = target;
  const [kind] = reviewed(target);
  const silent = data.filter((rule) => rule.target === kind && !scores.some(({ rule_id: id }) => id === rule.id));
  if (silent.length === 0) return null;
  return (
    <DialogButton
      variant="quiet"
      dialog={(close) => (
        <WhyDialog
          rules={silent}
          target={span === undefined ? { trace_id: trace, session_id: session } : { span_id: span }}
          onClose={close}
        />
      )}
    >
      Why was this not scored?
    </DialogButton>
  );
}

/** What a target is, with its id. */
function reviewed(target: ScoreTarget): readonly [ReviewTarget, string] {
  if ('span_id' in target && target.span_id) return ['span', target.span_id];
  return 'session_id' in target ? ['session', target.session_id] : ['trace', target.trace_id];
}
