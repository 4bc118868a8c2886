import type { ScoreResource } from '@spandrel/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFault } from '../../api/form-faults.js';
import { api } from '../../api/api.js';
import { Button, useMayWrite } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextArea, TextField } from '../../components/field.js';
import { Time } from '../../components/time.js';
import { ConfirmAction, FormDialog } from '../dialogs.js';
import { FactList } from '../fact-list.js';
import { scoreText } from '@spandrel/contract/browser';
import { answerText, readAnswer, type ScoreTarget } from './score-answer.js';
import { SCORE_DEFINITIONS, useScoreDefinitions } from './score-definitions.js';
import { ScoreField } from './score-field.js';

interface ScoreDialogProps {
  /** `null` for a new one. */
  score: ScoreResource | null;
  target: ScoreTarget;
  onChanged(): void;
  onClose(): void;
}

const PATHS = ['name', 'value', 'label', 'comment'];

/** A score given by hand: the form follows the definition of its name. */
export function ScoreDialog({ score, target, onChanged, onClose }: ScoreDialogProps) {
  const client = useQueryClient();
  const definitions = useScoreDefinitions();
  const mayWrite = useMayWrite();
  const [name, setName] = useState(score?.name ?? '');
  const [typed, setTyped] = useState<string | null>(null);
  const [isDeleting, setIsDeleting] = useState(false);
  const definitionIn = (all: typeof definitions) => all?.find((one) => one.name === name);
  const definition = definitionIn(definitions);
  const text = typed ?? (score === null ? '' : answerText(definition, score));
  if (isDeleting && score !== null) return <DeleteScore {...{ score, onChanged, onClose }} />;
  if (!mayWrite && score !== null) {
    return (
      <Dialog title={`Score ${name}`} size="small" onClose={onClose}>
        <ScoreHistory score={score} />
      </Dialog>
    );
  }
  const send = async (form: FormData): Promise<unknown> => {
    // The definitions may not be here yet when someone types fast.
    const known = definitionIn(await client.ensureQueryData(SCORE_DEFINITIONS));
    const read = readAnswer(known, text);
    if ('fault' in read) throw new FormFault('value', read.fault);
    const category = known?.categories.find(({ label }) => label === read.answer?.label);
    const comment = String(form.get('comment') ?? '').trim() || null;
    const body = { value: category?.value ?? null, label: null, comment, ...read.answer };
    if (score !== null) return api.updateScore({ path: { id: score.id }, body });
    return api.createScore({ body: { name, ...target, ...body, source: 'human' } });
  };
  return (
    <FormDialog
      title={score === null ? 'Add score' : `Score ${name}`}
      action={score === null ? 'Add' : 'Save'}
      failed="The score could not be saved"
      paths={PATHS}
      size="small"
      send={send}
      onSent={() => {
        onChanged();
        onClose();
      }}
      onClose={onClose}
      {...(score !== null && {
        otherAction: () => (
          <Button variant="danger" onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
        ),
        below: <ScoreHistory score={score} />,
      })}
    >
      {(faults) => (
        <>
          {score === null && (
            <TextField
              label="Name"
              suggestions={definitions?.map((one) => one.name) ?? []}
              required
              value={name}
              fault={faults.at('name')}
              onChange={({ target: { value } }) => setName(value)}
            />
          )}
          <ScoreField
            name={score === null && name === '' ? 'Score' : name}
            {...{ definition, text }}
            fault={faults.at('value') ?? faults.at('label')}
            onChange={setTyped}
          />
          {definition?.kind !== 'text' && (
            <TextArea
              label="Comment"
              name="comment"
              rows={2}
              dir="auto"
              defaultValue={score?.comment ?? ''}
              fault={faults.at('comment')}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Who gave a score and when, and what it was before. */
function ScoreHistory({ score }: { score: ScoreResource }) {
  const { source, author, comment, revisions, updated_at: at } = score;
  return (
    <>
      <FactList
        label="Score facts"
        facts={[
          { name: 'Score', value: scoreText(score) },
          { name: 'Source', value: source.replace('_', ' ') },
          { name: 'Author', value: author },
          ...(comment === null ? [] : [{ name: 'Comment', value: comment }]),
        ]}
      />
      <p>
        Last changed <Time at={at} />
      </p>
      {revisions.length > 0 && (
        <ul aria-label="Earlier values">
          {revisions.toReversed().map((earlier) => (
            <li key={earlier.at}>
              <bdi>{scoreText(earlier)}</bdi> by <bdi>{earlier.author}</bdi> until <Time at={earlier.at} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function DeleteScore({ score, onChanged, onClose }: Omit<ScoreDialogProps, 'target'> & { score: ScoreResource }) {
  return (
    <ConfirmAction
      title="Delete score?"
      action="Delete"
      act={() => api.deleteScore({ path: { id: score.id } })}
      onDone={onChanged}
      done={`Deleted the score ${score.name}`}
      failed="The score could not be deleted"
      onClose={onClose}
    >
      <p>This deletes the score with its earlier values. It cannot be undone.</p>
    </ConfirmAction>
  );
}
