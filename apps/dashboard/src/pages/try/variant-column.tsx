import { formatCount } from '@spandrel/contract/browser';
import { Button } from '../../components/button.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { FaultNotice } from '../../components/page-parts.js';
import { useModelChoices } from '../../features/model-choices.js';
import { ReplayButton } from '../../features/replay/replay-button.js';
import { sourceOfModel } from '../../features/replay/replay-source.js';
import { RunView } from './run-view.js';
import type { Variant } from './variants.js';
import styles from './try-page.module.css';

type VariantText = 'connection' | 'model' | 'temperature' | 'maxTokens' | 'others' | 'times';

interface VariantColumnProps {
  name: string;
  variant: Variant;
  traceId: string;
  recorded: string | null;
  /** The model with calls that can be replayed with what is asked here; `null` where nothing recorded is tried. */
  recordedModel: string | null;
  onChange(changed: Partial<Variant>): void;
  /** Left out where it is the only one. */
  onRemove?: (() => void) | undefined;
}

/** A variant: what is asked, and the answers below it. */
export function VariantColumn({
  name,
  variant,
  traceId,
  recorded,
  recordedModel,
  onChange,
  onRemove,
}: VariantColumnProps) {
  const { connections, models } = useModelChoices(variant.connection);
  const bind = (member: VariantText) => ({
    value: variant[member],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => onChange({ [member]: value }),
  });
  const choose = (id: string): void =>
    onChange({ connection: id, others: '', model: connections.find((one) => one.id === id)?.default_model ?? '' });
  return (
    <section aria-label={name} className={styles.column}>
      <div className={styles.role}>
        <h2>{name}</h2>
        {recordedModel !== null && (
          <ReplayButton
            key={`${variant.connection} ${variant.model}`}
            label={`Replay with ${name}`}
            change={variant}
            {...sourceOfModel(recordedModel)}
          />
        )}
        {onRemove && (
          <Button variant="quiet" icon="close" iconOnly onClick={onRemove}>
            {`Remove ${name}`}
          </Button>
        )}
      </div>
      <SelectField
        label="Connection"
        options={connections.map((one) => ({ value: one.id, label: one.name }))}
        value={variant.connection}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      <TextField label="Model" suggestions={models} {...bind('model')} />
      <div className={styles.beside}>
        <TextField label="Temperature" type="number" min={0} step="any" {...bind('temperature')} />
        <TextField label="Max tokens" type="number" min={1} step={1} {...bind('maxTokens')} />
        <TextField label="Times" type="number" min={1} max={10} step={1} {...bind('times')} />
      </div>
      <TextArea label="Other parameters (JSON)" rows={1} placeholder="None" {...bind('others')} />
      {variant.fault && <FaultNotice title="The call was not answered" error={variant.fault} />}
      {variant.runs.map((run, at) => (
        <RunView key={run.id} name={`${name}, answer ${formatCount(at + 1)}`} {...{ run, traceId, recorded }} />
      ))}
    </section>
  );
}
