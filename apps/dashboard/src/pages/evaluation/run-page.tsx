import type { EvalRunResource, RetryEval } from '@spandrel/contract';
import { describeLeftOut, formatCount, formatCounted } from '@spandrel/contract/browser';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { TextField } from '../../components/field.js';
import { PageActions } from '../../components/page-actions.js';
import { NotFound } from '../../components/not-found.js';
import { QueryFault, PageHeading } from '../../components/page-parts.js';
import { useHasFeature } from '../../features/browser-session.js';
import { ConfirmAction, FormDialog } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { isNotFound } from '../../api/api-error.js';
import { withMember } from '../../features/filters/list-search.js';
import { useWayUp } from '../../features/list/way-up.js';
import { formatCost } from '../../components/format.js';
import { FactList } from '../../features/fact-list.js';
import { PausedNotice } from '../../features/runs/run-list.js';
import { ListWithRow, RunError, TextBlock } from '../../features/runs/opened-row.js';
import { stopSentence, goesOn } from '../../features/runs/tries.js';
import { useDatasetNames } from '../../features/runs/run-queries.js';
import { keys } from '../../api/keys.js';
import { notifyError } from '../../components/notify.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { ResultRegion, Results } from './results.js';
import { readRunSearch, type RunSearch } from './run-search.js';
import { outcomeOf, runFacts, useRun } from './use-run.js';
import { GatesDialog, RunGates, RunStatistics } from './run-statistics.js';
import styles from './run-page.module.css';

const route = getRouteApi('/evaluations/$id');

/** `/evaluations/:id`: a run with its results, as they come in. */
export function RunPage() {
  const { id } = route.useParams();
  const search = usePageSearch(readRunSearch);
  const navigate = route.useNavigate();
  const { query, list, shownKey, opened } = useRun(id, search);
  const change = (next: RunSearch, isTyped = false): void => void navigate({ search: next, replace: isTyped });
  const wayUp = useWayUp('/evaluations', 'Run');
  if (isNotFound(query.error)) return <NotFound what="Run" back={<Link to="/evaluations">Go to Evaluations</Link>} />;
  const set = (member: keyof RunSearch, value: string): void => change(withMember(search, member, value));
  return (
    <>
      {wayUp}
      <PageHeading title={query.data?.name ?? 'Run'}>{query.data && <RunActions run={query.data} />}</PageHeading>
      <QueryFault title="The run could not be loaded" query={query} />
      {query.data && <RunHead run={query.data} />}
      {query.data && <RunGates run={query.data} />}
      {query.data && <RunStatistics run={query.data} search={search} onChange={set} />}
      <QueryFault title="The results could not be loaded" query={list} />
      <ListWithRow
        row={opened && <ResultRegion item={opened} runId={id} run={query.data} onClose={() => set('item', '')} />}
      >
        <Results {...{ list, shownKey, search }} run={query.data} onChange={change} />
      </ListWithRow>
    </>
  );
}

function RunHead({ run }: { run: EvalRunResource }) {
  const { nameOf } = useDatasetNames();
  const { config, progress, total } = run;
  return (
    <>
      <div className={styles.progress}>
        <progress aria-label="Progress" value={total === 0 ? 1 : progress} max={total || 1} />
        <span>
          {formatCount(progress)} of {formatCount(total)}
          {run.repeats > 1 && `, ${formatCount(run.sample_progress)} of ${formatCounted(run.sample_total, 'sample')}`}
        </span>
        {/* Its end is read out; the numbers above are not, since they change with every item. */}
        <span role="status" aria-label="Run status" className="visually-hidden">
          {outcomeOf(run)}
        </span>
      </div>
      <CostCap run={run} />
      {stopSentence(run) !== null && <p>{stopSentence(run)}</p>}
      <ReplayedCalls run={run} />
      {(run.status === 'pending' || run.status === 'running') && <PausedNotice />}
      <FactList label="Run facts" facts={runFacts(run, nameOf(run.dataset_id))} />
      <Metadata run={run} />
      {run.group_id !== null && (
        <p>
          <Link to="/evaluations" search={{ group_id: run.group_id }}>
            All runs of the group
          </Link>
        </p>
      )}
      {run.error !== null && <RunError>{run.error}</RunError>}
      <FoldedText title="System prompt" text={config.system_prompt} />
      <FoldedText title="Prompt" text={promptText(config)} />
      <FoldedText title="Rubric" text={config.judge?.rubric ?? null} />
    </>
  );
}

function ReplayedCalls({ run: { id, baseline_run_id: baseline } }: { run: EvalRunResource }) {
  const has = useHasFeature('replay') === true;
  const { data } = useQuery({
    queryKey: keys.replayOf(id),
    queryFn: async ({ signal }) => (await api.listReplays({ query: { run_id: id }, signal })).replays,
    enabled: has && baseline !== null,
    staleTime: Infinity,
  });
  const replay = data?.[0];
  if (replay === undefined) return null;
  const { taken, replayed, left_out: leftOut } = replay;
  return (
    <p>
      {formatCount(replayed)} of {formatCounted(taken, 'call')} replayed{describeLeftOut(leftOut)}
    </p>
  );
}

function Metadata({ run: { metadata } }: { run: EvalRunResource }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return null;
  return (
    <ul aria-label="Metadata" className={styles.metadata}>
      {entries.map(([key, value]) => (
        <li key={key} dir="auto">
          {key}{' '}
          <Link to="/evaluations" search={{ [`metadata.${key}`]: value }}>
            {value}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function CostCap({ run }: { run: EvalRunResource }) {
  const { max_cost_usd: cap } = run;
  if (cap === null) return null;
  const spent = spentBy(run);
  return (
    <div className={styles.progress}>
      <progress aria-label="Cost of its cap" value={Math.min(spent, cap)} max={cap} />
      <span>
        {formatCost(spent)} of {formatCost(cap)} spent
      </span>
    </div>
  );
}

const promptText = ({ messages }: EvalRunResource['config']): string | null =>
  messages?.map(({ role, content }) => `${role}:\n${content}`).join('\n\n') ?? null;

function FoldedText({ title, text }: { title: string; text: string | null }) {
  if (text === null || text === '') return null;
  return (
    <details>
      <summary>{title}</summary>
      <TextBlock name={title} text={text} />
    </details>
  );
}

function RunActions({ run }: { run: EvalRunResource }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isDeleting, setIsDeleting] = useState(false);
  const [isGating, setIsGating] = useState(false);
  const cancel = useMutation({
    mutationFn: () => api.cancelEval({ path: { id: run.id } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.run(run.id) }),
    onError: (error) => notifyError('The run could not be cancelled', error),
  });
  const retry = useMutation({
    mutationFn: (what: RetryEval['what']) => api.retryEval({ path: { id: run.id }, body: { what } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.run(run.id) }),
    onError: (error) => notifyError('The run could not go on', error),
  });
  const canRetry = !goesOn(run) && !retry.isPending;
  const [capped, setCapped] = useState<RetryEval['what'] | null>(null);
  const goOn = (what: RetryEval['what']): void => (run.max_cost_usd === null ? retry.mutate(what) : setCapped(what));
  const runAgain = (): void => void navigate({ to: '/evaluations/new', search: { run: run.id } });
  const runs = [run.baseline_run_id ?? [], run.id].flat().join();
  const compare = (): void => void navigate({ to: '/evaluations/compare', search: { runs } });
  // A run whose turn has not come yet cannot be cancelled.
  const canCancel = run.status === 'running' && !cancel.isPending;
  return (
    <>
      <PageActions
        group="Run"
        actions={[
          {
            ...{ label: 'Cancel run', writes: true, disabled: !canCancel, isHidden: !goesOn(run) },
            run: () => cancel.mutate(),
          },
          {
            ...{ label: 'Retry failed samples', short: 'Retry failed', writes: true, disabled: !canRetry },
            isHidden: run.failed_samples === 0,
            run: () => goOn('failed'),
          },
          {
            ...{ label: 'Score failed samples again', writes: true, disabled: !canRetry },
            ...{ isRare: run.failed_samples > 0, isHidden: true },
            run: () => goOn('unscored'),
          },
          {
            ...{ label: 'Resume run', short: 'Resume', writes: true, disabled: !canRetry },
            isHidden: goesOn(run) || run.sample_progress === run.sample_total,
            run: () => goOn('pending'),
          },
          { label: 'Run again', writes: true, run: runAgain },
          { label: 'Edit gates', writes: true, run: () => setIsGating(true) },
          { label: 'Compare run', short: 'Compare', run: compare },
          { label: 'Delete run', icon: 'trash', writes: true, run: () => setIsDeleting(true) },
        ]}
      />
      {capped && <CapDialog run={run} what={capped} onClose={() => setCapped(null)} />}
      {isGating && <GatesDialog run={run} onClose={() => setIsGating(false)} />}
      {isDeleting && <DeleteRun run={run} onClose={() => setIsDeleting(false)} />}
    </>
  );
}

function CapDialog({ run, what, onClose }: { run: EvalRunResource; what: RetryEval['what']; onClose(): void }) {
  const client = useQueryClient();
  return (
    <FormDialog
      title="What may this run cost?"
      action="Go on"
      failed="The run could not go on"
      paths={['max_cost_usd']}
      send={(form) => {
        const max_cost_usd = Number(form.get('cap')) || null;
        return api.retryEval({ path: { id: run.id }, body: { what, max_cost_usd } });
      }}
      onSent={() => {
        void client.invalidateQueries({ queryKey: keys.run(run.id) });
        onClose();
      }}
      onClose={onClose}
    >
      {(faults) => (
        <TextField
          label="Max cost (USD)"
          name="cap"
          type="number"
          {...{ min: 0, step: 'any', placeholder: 'No cap', defaultValue: run.max_cost_usd ?? '' }}
          hint={`${formatCost(spentBy(run))} spent so far`}
          fault={faults.at('max_cost_usd')}
        />
      )}
    </FormDialog>
  );
}

/** What counts for the cap of a run: former attempts, too. */
const spentBy = ({ total_cost: total, retried_cost: retried }: EvalRunResource): number =>
  (total ?? 0) + (retried ?? 0);

function DeleteRun({ run, onClose }: { run: EvalRunResource; onClose(): void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  return (
    <ConfirmAction
      title="Delete run?"
      action="Delete"
      act={() => api.deleteEval({ path: { id: run.id } })}
      onDone={() => {
        client.removeQueries({ queryKey: ['runs'] });
        void navigate({ to: '/evaluations' });
      }}
      done={`Deleted the run ${run.name}`}
      failed="The run could not be deleted"
      onClose={onClose}
    >
      <p>This deletes its {formatCounted(run.total, 'result')} with outputs and scores. It cannot be undone.</p>
    </ConfirmAction>
  );
}
