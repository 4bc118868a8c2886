import type { QueueItemResource, ScoreDefinition } from '@spandrel/contract';
import { useLayoutEffect, useState, type KeyboardEvent } from 'react';
import { TextArea } from '../../components/field.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { choicesOf, readAnswer } from '../../features/scores/score-answer.js';
import { useScoreDefinitions } from '../../features/scores/score-definitions.js';
import { KEYS_MAX, ScoreField } from '../../features/scores/score-field.js';
import type { Submission } from './review-session.js';
import styles from './review-queue-page.module.css';

/** What a reviewer filled in of a form, by the names of its scores. */
interface FormTexts {
  answers: Readonly<Record<string, string>>;
  comment: string;
}

/** Forms by the ids of their items: an item that comes back has its answers still. */
const kept = new Map<string, FormTexts>();
const EMPTY: FormTexts = { answers: {}, comment: '' };

/** The form of an item as it is filled in, and what of it can be submitted. */
interface ReviewAnswers extends FormTexts {
  names: readonly string[];
  definitionOf(name: string): ScoreDefinition | undefined;
  /** What is wrong with an answer, or the comment (`null`); that one is missing once somebody has tried to submit. */
  faultOf(name: string | null): string | undefined;
  /** Gives the focus to an answer, or the comment (`null`). */
  focus(name: string | null): void;
  change(texts: Partial<FormTexts>): void;
  /** What is submitted; `null` where something is missing, which has the focus then. @param isSkipped no answers. */
  take(isSkipped: boolean): Submission['review'] | null;
}

/** The answers to the form of an item; `null` where it has none. */
export function useReviewAnswers({ id, form }: QueueItemResource): ReviewAnswers | null {
  const definitions = useScoreDefinitions();
  const [texts, setTexts] = useState(() => kept.get(id) ?? EMPTY);
  const [missed, setMissed] = useState<'answers' | 'comment' | null>(null);
  if (form === undefined || form.length === 0 || definitions === undefined) return null;
  const definitionOf = (name: string): ScoreDefinition | undefined => definitions.find((one) => one.name === name);
  const read = form.map((name) => ({ name, ...readAnswer(definitionOf(name), texts.answers[name] ?? '') }));
  const faultOf = (name: string | null): string | undefined => {
    if (name === null)
      return missed === 'comment' && texts.comment.trim() === '' ? 'Say why there is no answer.' : undefined;
    const one = read.find((answer) => answer.name === name)!;
    if ('fault' in one) return one.fault;
    return missed === 'answers' && one.answer === null ? 'needs an answer' : undefined;
  };
  const focus = (name: string | null): void => {
    const region = document.querySelector(`[data-form="${CSS.escape(id)}"]`);
    const one = CSS.escape(name ?? '');
    const sought = name === null ? '[data-comment]' : `[data-score="${one}"] input, [name="${one}"]`;
    region?.querySelector<HTMLElement>(sought)?.focus();
  };
  return {
    ...{ ...texts, names: form, definitionOf, faultOf, focus },
    change: (changes) => {
      const next = { ...texts, ...changes };
      kept.set(id, next);
      setTexts(next);
    },
    take: (isSkipped) => {
      const comment = texts.comment.trim();
      const open = isSkipped ? undefined : read.find((one) => !('answer' in one) || one.answer === null);
      if (open !== undefined || (isSkipped && comment === '')) {
        setMissed(isSkipped ? 'comment' : 'answers');
        focus(open?.name ?? null);
        return null;
      }
      if (isSkipped) return { skip: true, comment };
      const scores = read.flatMap((one) => ('answer' in one && one.answer ? [{ name: one.name, ...one.answer }] : []));
      return { scores, ...(comment !== '' && { comment }) };
    },
  };
}

interface ReviewFormProps {
  item: QueueItemResource;
  answers: ReviewAnswers;
  onLeave(): void;
}

/** The form beside an item. `1` to `9` choose an answer, `f` leads to what is not answered yet. */
export function ReviewForm({ item, answers, onLeave }: ReviewFormProps) {
  const { names, definitionOf, change } = answers;
  const choices = names.filter((name) => choicesOf(definitionOf(name)) !== null);
  const [focused, setFocused] = useState<string | null>(null);
  const active = focused !== null && choices.includes(focused) ? focused : choices[0];
  const answer = (name: string, text: string): void => change({ answers: { ...answers.answers, [name]: text } });
  const offered = active === undefined ? [] : choicesOf(definitionOf(active))!.slice(0, KEYS_MAX);
  useShortcuts([
    { keys: 'f', label: 'Next answer', group: 'Review', run: () => answers.focus(unanswered(answers)) },
    ...offered.map(({ value, label }, at) => ({
      ...{ keys: String(at + 1), label, group: 'Review' },
      run: () => answer(active!, value),
    })),
  ]);
  useLayoutEffect(() => {
    const enter = ({ target }: FocusEvent): void =>
      setFocused((target as Element).closest<HTMLElement>('[data-score]')?.dataset['score'] ?? null);
    document.addEventListener('focusin', enter);
    return () => document.removeEventListener('focusin', enter);
  }, []);
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onLeave();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape of the fields in it
    <section aria-label="Form" data-form={item.id} className={styles.form} onKeyDown={leave}>
      <h2>Your answers</h2>
      <ReviewTerms item={item} />
      {names.map((name) => (
        <ScoreField
          key={name}
          {...{ name, definition: definitionOf(name), text: answers.answers[name] ?? '', fault: answers.faultOf(name) }}
          hasKeys={name === active}
          onChange={(text) => answer(name, text)}
        />
      ))}
      <TextArea
        label="Comment"
        data-comment
        rows={2}
        dir="auto"
        value={answers.comment}
        fault={answers.faultOf(null)}
        onChange={({ target }) => change({ comment: target.value })}
      />
    </section>
  );
}

/** Says which of several reviews this is, and whether it decides. */
export function ReviewTerms({ item }: { item: QueueItemResource }) {
  const { review_no: number = 1, reviews_required: required = 1, adjudicates, blind } = item;
  if (required === 1) return null;
  return (
    <p className="quiet">
      {adjudicates
        ? `The answers of ${required} reviewers differ: yours decides.`
        : `Review ${number} of ${required}.${item.adjudicate ? ' Somebody else decides where answers differ.' : ''}`}
      {blind !== false && ' Answers of others are shown once all have answered.'}
    </p>
  );
}

const unanswered = ({ names, answers }: ReviewAnswers): string | null =>
  names.find((name) => (answers[name] ?? '').trim() === '') ?? null;
