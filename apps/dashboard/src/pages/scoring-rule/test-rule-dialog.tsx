import type { ScoringRuleResource, ScoringTest } from '@spandrel/contract';
import { formatScore } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { api, listPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { TextField } from '../../components/field.js';
import { capitalized, formatCost } from '../../components/format.js';
import { FormDialog } from '../../features/dialogs.js';
import { FactList } from '../../features/fact-list.js';
import styles from '../../features/scoring-rules/scoring-rules.module.css';

const LISTS = { span: 'listSpans', trace: 'listTraces', session: 'listSessions' } as const;

/** What may be tried is offered as far as this, the newest first. */
const OFFERED = 20;

interface Offered {
  id?: string;
  session_id?: string | null;
  name?: string | null;
}

/** Has a rule judge something at once, and shows all that was asked and answered. Nothing of it is stored. */
export function TestRuleDialog({ rule, onClose }: { rule: ScoringRuleResource; onClose(): void }) {
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
