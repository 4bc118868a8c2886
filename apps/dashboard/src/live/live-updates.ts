import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { LiveBatch, LiveMessage, LiveState } from './live-event.js';
import { connectLive } from './connect-live.js';

let state: LiveState = 'reconnecting';
const stateListeners = new Set<() => void>();
const refusalListeners = new Set<() => void>();
const batchListeners = new Set<(batch: LiveBatch) => void>();
let isConnected = false;
let audience = '';

/**
 * Whether the page hears of changes: what the status `Live updates` says.
 * @param of the project whose changes they are; tabs of another project have a stream of their own.
 * @param isRefused whether the server would refuse the stream, so that it is not asked for.
 */
export function useLiveState(of?: string, isRefused = false): LiveState {
  if (of !== undefined) audience = of;
  return useSyncExternalStore(isRefused ? listenToState : subscribeToState, () => state);
}

/**
 * Calls back with what happens, at most four times a second, while the tab is looked at.
 * @param onBatch may be another function every time.
 */
export function useLiveBatches(onBatch: (batch: LiveBatch) => void): void {
  const latest = useRef(onBatch);
  useEffect(() => {
    latest.current = onBatch;
  });
  useEffect(() => {
    connect();
    const listener = (batch: LiveBatch): void => latest.current(batch);
    batchListeners.add(listener);
    return () => {
      batchListeners.delete(listener);
    };
  }, []);
}

/** Calls back each time the server refuses the stream, which is asked for again and again. @returns ends that. */
export function hearLiveRefusals(listener: () => void): () => void {
  refusalListeners.add(listener);
  return () => void refusalListeners.delete(listener);
}

function subscribeToState(listener: () => void): () => void {
  connect();
  return listenToState(listener);
}

function listenToState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}

function connect(): void {
  if (isConnected) return;
  isConnected = true;
  connectLive(take, audience);
}

function take(message: LiveMessage): void {
  if (message.kind === 'batch') {
    for (const listener of batchListeners) listener(message.batch);
    return;
  }
  if (message.kind === 'refused') {
    for (const listener of refusalListeners) listener();
    return;
  }
  state = message.state;
  for (const listener of stateListeners) listener();
}
