import type { ConnectionResource, ScoringRuleResource, ScoringTest, BackfillAnswer } from '@spandrel/contract';
import { formatCount, formatScore } from '@spandrel/contract/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, useId } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { api, listPage } from '../../api/api.js';
import { formatTime, type Zone, capitalized, formatCost } from '../../components/format.js';
import { NotFound } from '../../components/not-found.js';
import { PageActions } from '../../components/page-actions.js';
import { PageHeading, QueryFault } from '../../components/page-parts.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { ConfirmAction, FormDialog } from '../../features/dialogs.js';
import { EnabledSwitch } from '../../features/enabled-switch.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { useWayUp } from '../../features/list/way-up.js';
import { useModelChoices } from '../../features/model-choices.js';
import { wordsOfScoring } from '../../features/scorer-words.js';
import { ScoringRuleDialog } from '../../features/scoring-rules/rule-dialog.js';
import {
  describeBackfill,
  describeRuleFilters,
  describeSpent,
  describeTrigger,
  describeWaiting,
  describeDryRun,
} from '../../features/scoring-rules/rule-words.js';
import { rereadRules, scoringRule, SCORING_RULES } from '../../features/scoring-rules/scoring-rules.js';
import { percentOf } from '../../features/span-filters/filter-form.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { keys } from '../../api/keys.js';
import { TextField, SelectField } from '../../components/field.js';
import styles from '../../features/scoring-rules/scoring-rules.module.css';
import { notify } from '../../components/notify.js';
import { AMOUNT } from '../../features/span-filters/filter-fields.js';

const route = getRouteApi('/scoring-rules/$id');

/** What a rule did is asked for this far apart: no event says it. */
const BETWEEN_MS = 3_000;

/** `/scoring-rules/:id`: what a rule does, what it did within a day, and its backfill. */
export function ScoringRulePage() {
  const { id } = route.useParams();
  const rule = useQuery({ ...scoringRule(id), refetchInterval: ({ state }) => state.error === null && BETWEEN_MS });
  const wayUp = useWayUp('/scoring-rules', 'Scoring rule');
  if (isNotFound(rule.error)) {
    return <NotFound what="Scoring rule" back={<Link to="/scoring-rules">Go to Scoring rules</Link>} />;
  }
  return (
    <>
      {wayUp}
      {rule.data ? <Rule rule={rule.data} /> : <PageHeading title="Scoring rule" />}
      <QueryFault title="The scoring rule could not be loaded" query={rule} />
    </>
  );
}

type Opened = 'edit' | 'delete' | 'test' | 'backfill' | null;

function Rule({ rule }: { rule: ScoringRuleResource }) {
  const { id, name, state, last_error: error, backfill } = rule;
  const { times } = usePreferences();
  const { connections } = useModelChoices('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  return (
    <>
      <PageHeading title={name}>
        <EnabledSwitch
          {...rule}
          isLabelled
          change={(enabled) => api.updateScoringRule({ path: { id }, body: { enabled } })}
          onChanged={() => rereadRules(client)}
        />
        <PageActions
          group="Scoring rule"
          actions={[
            { label: `Test on a ${rule.target}`, writes: true, run: () => setOpened('test') },
            { label: 'Backfill', writes: true, disabled: !rule.enabled, run: () => setOpened('backfill') },
            { label: 'Edit rule', short: 'Edit', writes: true, run: () => setOpened('edit') },
            {
              ...{ label: 'Delete rule', short: 'Delete', writes: true, variant: 'danger', icon: 'trash' },
              run: () => setOpened('delete'),
            },
          ]}
        />
      </PageHeading>
      <FactList label="Rule facts" facts={ruleFacts(rule, connections, times)} />
      {error !== null && (
        <p dir="auto">
          Last error: <code>{error}</code>
        </p>
      )}
      {backfill && <p role="status">Backfill. {describeBackfill(backfill)}</p>}
      <ScrolledTable
        caption="The last 24 hours"
        columns={['Hour', 'Matched', 'Sampled', 'Scored', 'Failed', 'Over budget', 'Overload']}
      >
        {[{ ...state, timestamp: null }, ...state.hours.toReversed()].map((hour) => (
          <tr key={hour.timestamp}>
            <th scope="row">{hour.timestamp === null ? 'All' : hourText(hour.timestamp, times)}</th>
            {[hour.matched, hour.sampled, hour.scored, hour.failed, hour.skipped.budget, hour.skipped.overload].map(
              // The columns stay where they are.
              // oxlint-disable-next-line react/no-array-index-key
              (count, at) => (
                <td key={at}>{formatCount(count)}</td>
              ),
            )}
          </tr>
        ))}
      </ScrolledTable>
      {opened === 'edit' && <ScoringRuleDialog rule={rule} onSaved={close} onClose={close} />}
      {opened === 'test' && <TestRuleDialog rule={rule} onClose={close} />}
      {opened === 'backfill' && <BackfillDialog rule={rule} onClose={close} />}
      {opened === 'delete' && (
        <ConfirmAction
          title="Delete scoring rule?"
          action="Delete"
          act={() => api.deleteScoringRule({ path: { id } })}
          onDone={() => {
            void navigate({ to: '/scoring-rules' });
            // The rule itself is not asked for again.
            void client.invalidateQueries({ queryKey: SCORING_RULES.queryKey, exact: true });
          }}
          done={`Deleted the rule ${name}`}
          failed="The rule could not be deleted"
          onClose={close}
        >
          <p>
            The rule <bdi>{name}</bdi> scores nothing any more. The scores that it gave are kept.
          </p>
        </ConfirmAction>
      )}
    </>
  );
}

const hourText = (at: string, zone: Zone): string => formatTime(Date.parse(at), zone).slice(5, 16);

function ruleFacts(rule: ScoringRuleResource, connections: readonly ConnectionResource[], zone: Zone): Fact[] {
  const { scoring, judge, state, cohort } = rule;
  const connection = connections.find(({ id }) => id === judge?.connection_id);
  const model = judge?.model ?? connection?.default_model;
  const asked = model && `${model}${connection ? ` by ${connection.name}` : ''}`;
  const rubric = rule.scoring_config?.['rubric'];
  return [
    { name: 'Judges', value: describeTrigger(rule) },
    { name: 'Filters', value: describeRuleFilters(rule) },
    { name: 'Sample', value: `${percentOf(rule.sample_rate)}%${cohort === null ? '' : ` of the cohort ${cohort}`}` },
    { name: 'Scorer', value: [wordsOfScoring(scoring), asked].filter(Boolean).join(', ') },
    ...(typeof rubric === 'string' ? [{ name: 'Rubric', value: rubric.split('\n')[0]!, exact: rubric }] : []),
    { name: 'Score', value: rule.score_name },
    { name: 'Cost today', value: describeSpent(rule) },
    { name: 'Waiting', value: describeWaiting(state) },
    { name: 'Since', value: formatTime(Date.parse(rule.since), zone).slice(0, 16) },
  ];
}

const LISTS = { span: 'listSpans', trace: 'listTraces', session: 'listSessions' } as const;

const OFFERED = 20;

interface Offered {
  id?: string;
  session_id?: string | null;
  name?: string | null;
}

/** Has a rule judge something at once, and shows all that was asked and answered. Nothing of it is stored. */
function TestRuleDialog({ rule, onClose }: { rule: ScoringRuleResource; onClose(): void }) {
  const { target } = rule;
  const listId = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [tested, setTested] = useState<ScoringTest | null>(null);
  const { exclude_tag: _excluded, ...filters } = rule.filters;
  const query = { limit: OFFERED, ...(target === 'span' && filters) };
  const { data = [] } = useQuery({
    queryKey: keys.scoringTargets(target, query),
    queryFn: async ({ signal }) => (await listPage<Offered>(LISTS[target], { query, signal })).rows.map(optionOf),
  });
  const id = typed ?? data[0]?.id ?? '';
  return (
    <FormDialog
      title={`Test ${rule.name}`}
      size="large"
      action="Test"
      failed="The rule could not be tested"
      canSend={id !== ''}
      send={() => api.testScoringRule({ path: { id: rule.id }, body: { [`${target}_id`]: id } })}
      onSent={setTested}
      onClose={onClose}
      below={tested && <TestResult tested={tested} />}
    >
      <TextField
        label={`${capitalized(target)} ID`}
        list={listId}
        required
        value={id}
        hint="The judge is asked, which costs what it costs. No score is stored."
        onChange={({ target: { value } }) => setTyped(value)}
      />
      <datalist id={listId} hidden>
        {data.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </datalist>
    </FormDialog>
  );
}

const optionOf = ({ id, session_id: session, name }: Offered) => ({ id: id ?? session ?? '', name: name ?? '' });

function TestResult({ tested: { prompt, answer, score, error, model, tokens, cost } }: { tested: ScoringTest }) {
  return (
    <section aria-label="Result" className={styles.result}>
      <FactList
        label="Result facts"
        facts={[
          { name: 'Score', value: score === null ? 'None' : formatScore(score.value) },
          ...(score?.comment ? [{ name: 'Reason', value: score.comment }] : []),
          ...(error === null ? [] : [{ name: 'Error', value: error }]),
          ...(model === null ? [] : [{ name: 'Model', value: model }]),
          ...(tokens === null ? [] : [{ name: 'Tokens', value: String(tokens) }]),
          { name: 'Cost', value: formatCost(cost) },
        ]}
      />
      {answer !== null && (
        <>
          <h3>Answer of the judge</h3>
          <Text label="Answer of the judge" text={answer} />
        </>
      )}
      {prompt?.map(({ role, content }, at) => {
        const label = `Prompt: ${role}`;
        return (
          // The messages of a prompt have nothing but their order.
          // oxlint-disable-next-line react/no-array-index-key
          <details key={at}>
            <summary>{label}</summary>
            <Text label={label} text={typeof content === 'string' ? content : JSON.stringify(content, null, 2)} />
          </details>
        );
      })}
    </section>
  );
}

function Text({ label, text }: { label: string; text: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls
    <pre role="region" aria-label={label} className={styles.text} tabIndex={0} dir="auto">
      {text}
    </pre>
  );
}

const DAY_MS = 86_400_000;
const RANGES = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '', label: 'All time' },
];

/** Has a rule judge what ended before it: it is counted first, with what that may cost, and then begun. */
function BackfillDialog({ rule, onClose }: { rule: ScoringRuleResource; onClose(): void }) {
  const client = useQueryClient();
  const [fields, setFields] = useState({ days: '7', max: '1000', cost: '' });
  const [counted, setCounted] = useState<BackfillAnswer | null>(null);
  const isCounted = counted !== null && counted.sampled > 0;
  const bind = (id: keyof typeof fields) => ({
    value: fields[id],
    onChange: ({ target }: { target: { value: string } }) => {
      setFields({ ...fields, [id]: target.value });
      setCounted(null);
    },
  });
  const send = (): Promise<BackfillAnswer> => {
    const { days, max, cost } = fields;
    const body = {
      since: days === '' ? null : new Date(Date.now() - Number(days) * DAY_MS).toISOString(),
      max: max === '' ? null : Number(max),
      max_cost_usd: cost === '' ? null : Number(cost),
      dry_run: !isCounted,
    };
    return api.backfillScoringRule({ path: { id: rule.id }, body });
  };
  const onSent = (answer: BackfillAnswer): void => {
    if (answer.status === 'dry_run') {
      setCounted(answer);
      return;
    }
    notify(`The backfill of ${rule.name} has begun`);
    void rereadRules(client);
    onClose();
  };
  return (
    <FormDialog
      title={`Backfill ${rule.name}`}
      action={isCounted ? 'Start backfill' : 'Count'}
      failed="The backfill could not be begun"
      paths={['max', 'max_cost_usd']}
      {...{ send, onSent, onClose }}
      below={
        <p role="status" className={styles.result}>
          {counted && describeDryRun(counted)}
        </p>
      }
    >
      {(faults) => (
        <>
          <p>Judges what ended earlier, the newest first; nothing twice. The budget of the day holds, too.</p>
          <SelectField label="Spans of" options={RANGES} {...bind('days')} />
          <TextField label="At most" {...AMOUNT} min={1} step={1} fault={faults.at('max')} {...bind('max')} />
          <TextField
            label="Cost at most (USD)"
            {...AMOUNT}
            placeholder="No limit"
            fault={faults.at('max_cost_usd')}
            {...bind('cost')}
          />
        </>
      )}
    </FormDialog>
  );
}
