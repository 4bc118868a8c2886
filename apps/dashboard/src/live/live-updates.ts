import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { BASE } from '../api/project-base.js';
import { SHARE_TOKEN } from '../api/share-token.js';
import { LIVE, type LiveBatch, type LiveMessage, type LiveState, type TabMessage } from './live-event.js';
import type { SendMessage } from './live-tabs.js';
// oxlint-disable-next-line import/default -- Vite makes the address of the worker's file the default export
import workerUrl from './live.worker.js?worker&url';
import { workerAddress } from './script-policy.js';

/** A page reads what it shows as it opens: what it may have missed is asked for so many milliseconds after that at the earliest. */
const OPENED_MS = 3_000;

let state: LiveState = 'reconnecting';
const stateListeners = new Set<() => void>();
const refusalListeners = new Set<() => void>();
const batchListeners = new Set<(batch: LiveBatch) => void>();
let isConnected = false;

/**
 * Whether the page hears of changes: what the status `Live updates` says.
 * @param isRefused whether the server would refuse the stream, so that it is not asked for.
 */
export function useLiveState(isRefused = false): LiveState {
  return useSyncExternalStore(isRefused ? listenToState : subscribeToState, () =>
    state === 'live' && !isPageStreamOpen ? 'reconnecting' : state,
  );
}

let isPageStreamOpen = true;

/** Notes that a page has a stream of its own, without which it does not hear of changes either. @returns forgets it. */
export function reportPageStream(isOpen: boolean): () => void {
  const become = (now: boolean): void => {
    isPageStreamOpen = now;
    for (const listener of stateListeners) listener();
  };
  become(isOpen);
  return () => become(true);
}

/**
 * Calls back with what happens, at most four times a second, while the tab is looked at.
 * @param onBatch may be another function every time.
 */
export function useLiveBatches(onBatch: (batch: LiveBatch) => void): void {
  const onLatest = useEffectEvent(onBatch);
  useEffect(() => {
    connect();
    const listener = (batch: LiveBatch): void => onLatest(batch);
    batchListeners.add(listener);
    return () => void batchListeners.delete(listener);
  }, []);
}

/** Calls back each time the server refuses the stream, which is asked for again and again. @returns ends that. */
export function onLiveRefusal(listener: () => void): () => void {
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
  // What a link opens is read once.
  if (isConnected || SHARE_TOKEN !== null) return;
  isConnected = true;
  connectLive(take);
}

function take(message: LiveMessage): void {
  if (message.kind === 'batch') {
    const wait = message.batch.hasMissed ? OPENED_MS - performance.now() : 0;
    if (wait > 0) setTimeout(() => take(message), wait);
    else for (const listener of batchListeners) listener(message.batch);
    return;
  }
  if (message.kind === 'refused') {
    for (const listener of refusalListeners) listener();
    return;
  }
  state = message.state;
  for (const listener of stateListeners) listener();
}

/** Connects this tab to the stream that all tabs of the browser share which are in the same project. */
function connectLive(onMessage: SendMessage): void {
  const name = LIVE + BASE;
  const isVisible = (): boolean => document.visibilityState === 'visible';
  const sender =
    typeof SharedWorker === 'function'
      ? Promise.resolve(connectToWorker(name, onMessage))
      : import('./live-leader.js').then(({ connectToLeader }) => connectToLeader(name, onMessage, isVisible()));
  const send = (message: TabMessage): void => void sender.then((post) => post(message));
  const hello = (): void => send({ kind: 'hello', isVisible: isVisible() });
  hello();
  document.addEventListener('visibilitychange', () => send({ kind: 'visibility', isVisible: isVisible() }));
  // A page that is kept for Back says hello again when it is shown.
  addEventListener('pagehide', () => send({ kind: 'bye' }));
  addEventListener('pageshow', (event) => event.persisted && hello());
}

function connectToWorker(name: string, onMessage: SendMessage): (message: TabMessage) => void {
  const { port } = new SharedWorker(workerAddress(workerUrl), { type: 'module', name });
  port.onmessage = ({ data }: MessageEvent<LiveMessage>) => onMessage(data);
  return (message) => port.postMessage(message);
}
