import type { EvalRunResource, RunDifference } from '@spandrel/contract';
import { NONE } from '@spandrel/contract/browser';
import { useState } from 'react';
import { ChoiceGroup } from '../../components/choice-group.js';
import { ScrolledTable, useStatistics } from '../../features/statistics/statistics-tables.js';
import { DIFF_MODES, DiffView, type DiffMode } from '../../features/text-diff/diff-view.js';
import styles from './compare-page.module.css';

/** In what a run differs from the baseline: model, prompt, parameters, scorers. */
export function RunDifferences({ run, baseline }: Record<'run' | 'baseline', EvalRunResource>) {
  const [mode, setMode] = useState<DiffMode>('words');
  const comparison = useStatistics(run, baseline.id).data?.comparison;
  if (comparison?.baseline_run_id !== baseline.id) return null;
  const differences = [...comparison.differences, ...comparison.comparable.differences];
  if (differences.length === 0) return null;
  const texts = differences.filter(isLong);
  const values = differences.filter((each) => !isLong(each));
  const title = `What differs: ${baseline.name} → ${run.name}`;
  return (
    <section aria-label={title} className={styles.statistics}>
      <h2 dir="auto">{title}</h2>
      {values.length > 0 && (
        <ScrolledTable
          caption={title}
          isCaptionHidden
          columns={['What', 'Baseline', 'Run']}
          starts={['Baseline', 'Run']}
        >
          {values.map((each) => (
            <tr key={each.what}>
              <th scope="row">{each.what}</th>
              <td data-align="start" dir="auto">
                {valueText(each.baseline) ?? NONE}
              </td>
              <td data-align="start" dir="auto">
                {valueText(each.run) ?? NONE}
              </td>
            </tr>
          ))}
        </ScrolledTable>
      )}
      {texts.length > 0 && <ChoiceGroup<DiffMode> label="Diff" choices={DIFF_MODES} value={mode} onChange={setMode} />}
      {texts.map((each) => (
        <div key={each.what} role="group" aria-label={each.what} className={styles.pair}>
          <h3>{each.what}</h3>
          <DiffView
            beforeName={baseline.name}
            afterName={run.name}
            before={valueText(each.baseline)}
            after={valueText(each.run)}
            mode={mode}
          />
        </div>
      ))}
    </section>
  );
}

const TEXTS = /\.(system_prompt|messages|rubric)$/;
const LONG_CHARACTERS = 60;

/** Whether a difference is shown as one of texts: prompts always are. */
const isLong = ({ what, run, baseline }: RunDifference): boolean =>
  TEXTS.test(what) || [run, baseline].some((value) => (valueText(value)?.length ?? 0) > LONG_CHARACTERS);

/** A value as a text, each message of a prompt below its role; `null` where there is none. */
function valueText(value: unknown): string | null {
  if (value === null) return null;
  if (Array.isArray(value) && value.every(isMessage)) {
    return value.map(({ role, content }) => `${role}:\n${content}`).join('\n\n');
  }
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value);
  return text.length > LONG_CHARACTERS ? JSON.stringify(value, null, 2) : text;
}

const isMessage = (value: unknown): value is { role: string; content: string } =>
  typeof value === 'object' && value !== null && 'role' in value && 'content' in value;
