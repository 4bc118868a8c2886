import { useEffect, useRef, useState } from 'react';
import { readSpanText } from '../../api/spans.js';
import { openPayload, type OpenPayload } from './payload-client.js';
import type { PayloadQuestion, PayloadQuestions } from './payload-protocol.js';

/** Keys run through spans faster than their texts are fetched: those that are passed are not asked for. */
const SETTLE_MS = 80;

export interface SpanPayloadState {
  /** `null` while it is fetched, and where it could not be. */
  payload: OpenPayload | null;
  error: Error | null;
  retry(): void;
}

/**
 * The texts of one span, fetched when it is opened.
 * @param version another value where the span has changed, such as its status; what is shown stays until the new is there.
 */
export function useSpanPayload(id: string, version: string): SpanPayloadState {
  const [state, setState] = useState<{ id: string; payload: OpenPayload | null; error: Error | null } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const shown = useRef<OpenPayload | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const show = (payload: OpenPayload | null, error: Error | null): void => {
      if (controller.signal.aborted) {
        payload?.close();
        return;
      }
      shown.current?.close();
      shown.current = payload;
      setState({ id, payload, error });
    };
    const timer = setTimeout(() => {
      readSpanText(id, controller.signal)
        .then(openPayload)
        .then(
          (payload) => show(payload, null),
          (error: Error) => show(null, error),
        );
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [id, version, attempt]);
  useEffect(
    () => () => {
      shown.current?.close();
      shown.current = null;
    },
    [],
  );
  const isOfThis = state?.id === id;
  return {
    payload: isOfThis ? state.payload : null,
    error: isOfThis ? state.error : null,
    retry: () => setAttempt(attempt + 1),
  };
}

/** What the worker says of a payload; `null` until it has. @param given `null` where nothing is to be asked. */
export function useAsked<Question extends PayloadQuestion>(
  payload: OpenPayload | null,
  question: Question,
  given: PayloadQuestions[Question]['given'] | null,
): { answer: PayloadQuestions[Question]['answer'] | null; error: Error | null } {
  type Answer = PayloadQuestions[Question]['answer'];
  const key = payload === null || given === null ? null : `${payload.id} ${question} ${JSON.stringify(given)}`;
  const [state, setState] = useState<{ key: string; answer: Answer | null; error: Error | null } | null>(null);
  const asked = useRef({ payload, given });
  useEffect(() => {
    asked.current = { payload, given };
  });
  useEffect(() => {
    if (key === null) return undefined;
    let isWanted = true;
    asked.current.payload!.ask(question, asked.current.given!).then(
      (answer) => isWanted && setState({ key, answer, error: null }),
      (error: Error) => isWanted && setState({ key, answer: null, error }),
    );
    return () => {
      isWanted = false;
    };
  }, [key, question]);
  return state !== null && state.key === key ? state : NOTHING;
}

const NOTHING = { answer: null, error: null };
