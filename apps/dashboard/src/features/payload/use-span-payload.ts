import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/api.js';
import { OF_WORKER } from '../worker-calls.js';
import { openPayload, type Answer, type Given, type OpenPayload, type PayloadQuestion } from './payload-client.js';

/** Keys run through spans faster than their texts are fetched: those that are passed are not asked for. */
const SETTLE_MS = 80;

/**
 * The texts of one span, fetched when it is opened.
 * @param version another value where the span has changed, such as its status; what is shown stays until the new is there.
 */
export function useSpanPayload(id: string, version: string) {
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
      api
        .raw('GET', `/api/spans/${encodeURIComponent(id)}`, { signal: controller.signal })
        .then((answer) => answer.text())
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
    /** `null` while it is fetched, and where it could not be. */
    payload: isOfThis ? state.payload : null,
    error: isOfThis ? state.error : null,
    retry: () => setAttempt(attempt + 1),
  };
}

/** What the worker says of a payload; `null` until it has. @param given `null` where nothing is to be asked. */
export function useAsked<Question extends PayloadQuestion>(
  payload: OpenPayload | null,
  question: Question,
  given: Given<Question> | null,
): { answer: Answer<Question> | null; error: Error | null } {
  const { data, error } = useQuery({
    queryKey: ['payload', payload?.id, question, given],
    queryFn: () => payload!.ask(question, given!),
    enabled: payload !== null && given !== null,
    ...OF_WORKER,
  });
  return { answer: data ?? null, error };
}
