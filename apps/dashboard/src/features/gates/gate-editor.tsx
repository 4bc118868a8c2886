import type { GateMetric, JudgedGate } from '@spandrel/contract';
import { FieldFaults } from '../../api/form-faults.js';
import { Button } from '../../components/button.js';
import { CheckboxField, SelectField, TextField } from '../../components/field.js';
import { RunField } from '../runs/run-queries.js';
import { wordsOfScorer } from '../scorer-words.js';
import { NEW_GATE, withMetric, METRICS, type GateFields } from './gates.js';
import styles from './gate-editor.module.css';

const GATES_MAX = 32;

interface GateEditorProps {
  gates: readonly GateFields[];
  /** Dataset with the runs that can be a baseline. */
  datasetId: string;
  /** A run that is no baseline, since the gates are its own. */
  runId?: string;
  /** Names of the scorers of the run. */
  scorers: readonly string[];
  repeats: number;
  faults: FieldFaults;
  onChange(gates: readonly GateFields[]): void;
}

const METRIC_OPTIONS = Object.entries(METRICS).map(([value, { words }]) => ({ value, label: words }));
const OP_OPTIONS: readonly { value: NonNullable<JudgedGate['op']>; label: string }[] = [
  { value: '>=', label: 'at least' },
  { value: '>', label: 'more than' },
  { value: '<=', label: 'at most' },
  { value: '<', label: 'less than' },
];
const UNIT_HINTS = { score: undefined, count: undefined, ms: 'Milliseconds', usd: 'Dollars', verdict: undefined };

/** The conditions that a run is to meet, one below the other. */
export function GateEditor(props: GateEditorProps) {
  const { gates, onChange } = props;
  const change = (at: number, next: GateFields): void => onChange(gates.with(at, next));
  return (
    <div className="stack">
      {gates.map((gate, at) => (
        // The fields of a gate are all that distinguishes it from another.
        // oxlint-disable-next-line react/no-array-index-key
        <fieldset key={at} className={styles.gate}>
          <legend>Gate {at + 1}</legend>
          <GateRow {...props} gate={gate} path={`gates.${at}`} onChange={(next) => change(at, next)} />
          <Button
            variant="quiet"
            icon="close"
            onClick={() => onChange(gates.toSpliced(at, 1))}
          >{`Remove gate ${at + 1}`}</Button>
        </fieldset>
      ))}
      {gates.length < GATES_MAX && (
        <Button className={styles.add} icon="plus" onClick={() => onChange([...gates, NEW_GATE])}>
          Add gate
        </Button>
      )}
    </div>
  );
}

interface GateRowProps extends Omit<GateEditorProps, 'onChange' | 'gates'> {
  gate: GateFields;
  path: string;
  onChange(gate: GateFields): void;
}

function GateRow({ gate, path, datasetId, runId, scorers, repeats, faults, onChange }: GateRowProps) {
  const facts = METRICS[gate.metric];
  const hint = UNIT_HINTS[facts.unit];
  const bind = (member: 'scorer' | 'k' | 'op' | 'value' | 'group' | 'newFailures', wire: string = member) => ({
    value: gate[member],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ ...gate, [member]: value }),
    fault: faults.at(`${path}.${wire}`),
  });
  return (
    <>
      <SelectField
        label="Metric"
        options={METRIC_OPTIONS}
        value={gate.metric}
        onChange={({ currentTarget: { value } }) => onChange(withMetric(gate, value as GateMetric))}
        fault={faults.at(`${path}.metric`)}
      />
      {facts.isOfScore && scorers.length > 1 && (
        <SelectField label="Score of" options={scorerOptions(scorers, gate.scorer)} {...bind('scorer')} />
      )}
      {facts.hasK && <TextField label="k" type="number" min={1} max={repeats} step={1} required {...bind('k')} />}
      {facts.unit !== 'verdict' && (
        <>
          <SelectField label="Is" options={OP_OPTIONS} {...bind('op')} />
          <TextField
            label="Value"
            type="number"
            step="any"
            required
            {...(hint !== undefined && { hint })}
            {...bind('value')}
          />
        </>
      )}
      {facts.needsBaseline && (
        <RunField
          label="Baseline"
          required
          datasetId={datasetId}
          without={[runId]}
          none="Choose a run"
          value={gate.baseline}
          fault={faults.at(`${path}.baseline_run_id`)}
          onChange={(baseline) => onChange({ ...gate, baseline })}
        />
      )}
      {facts.unit !== 'usd' && (
        <TextField
          label="Group"
          placeholder="All datapoints"
          hint="category:legal, or by category for each"
          {...bind('group')}
          fault={faults.at(`${path}.group`) ?? faults.at(`${path}.by`)}
        />
      )}
      {facts.unit === 'verdict' && (
        <TextField
          label="New failures"
          type="number"
          {...{ min: 0, max: 1, step: 'any', placeholder: 'Any' }}
          hint="Share of samples: 0.01"
          {...bind('newFailures', 'max_new_failures')}
        />
      )}
      {facts.needsBaseline && (
        <CheckboxField
          label="Allow different scoring"
          checked={gate.rules?.allow_different_scoring === true}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ ...gate, rules: { ...gate.rules, allow_different_scoring: checked } })
          }
        />
      )}
    </>
  );
}

/** A scorer that was taken away or renamed stays with its gate until another one is chosen. */
function scorerOptions(scorers: readonly string[], chosen: string) {
  const names = chosen === '' || scorers.includes(chosen) ? scorers : [...scorers, chosen];
  return [{ value: '', label: 'All together' }, ...names.map((name) => ({ value: name, label: wordsOfScorer(name) }))];
}
