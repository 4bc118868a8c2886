import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { LiveBatch, LiveMessage, LiveState, TabMessage } from './live-event.js';
import { browserParts, EventStream } from './event-stream.js';
import { LiveTabs, type Report } from './live-tabs.js';
// oxlint-disable-next-line import/default -- Vite makes the address of the worker's file the default export
import workerUrl from './live.worker.js?worker&url';
import { workerAddress } from './script-policy.js';

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

/**
 * Connects this tab to the stream that all tabs of the browser share.
 * @param audience the project whose changes are reported; another one has another stream.
 */
function connectLive(report: Report, audience: string): void {
  const name = `spandrel.live ${audience}`;
  const isVisible = (): boolean => document.visibilityState === 'visible';
  const send =
    typeof SharedWorker === 'function' ? connectToWorker(name, report) : connectToLeader(name, report, isVisible());
  const hello = (): void => send({ kind: 'hello', isVisible: isVisible() });
  hello();
  document.addEventListener('visibilitychange', () => send({ kind: 'visibility', isVisible: isVisible() }));
  // A page that is kept for Back says hello again when it is shown.
  addEventListener('pagehide', () => send({ kind: 'bye' }));
  addEventListener('pageshow', (event) => event.persisted && hello());
}

function connectToWorker(name: string, report: Report): (message: TabMessage) => void {
  const { port } = new SharedWorker(workerAddress(workerUrl), { type: 'module', name });
  port.onmessage = ({ data }: MessageEvent<LiveMessage>) => report(data);
  return (message) => port.postMessage(message);
}

/** Without shared workers the tab that has the lock holds the stream, and notifies the others. */
function connectToLeader(name: string, report: Report, isVisible: boolean): (message: TabMessage) => void {
  const channel = new BroadcastChannel(name);
  const tab = new LiveTabs();
  tab.add(report, isVisible, 'reconnecting');
  let stream: EventStream | null = null;
  channel.onmessage = ({ data }: MessageEvent<LiveMessage | { kind: 'hello' }>) => {
    if (data.kind !== 'hello') tab.report(data);
    else if (stream !== null) channel.postMessage({ kind: 'state', state: stream.currentState });
  };
  void navigator.locks.request(name, async () => {
    stream = new EventStream(browserParts, (message) => {
      tab.report(message);
      channel.postMessage(message);
    });
    stream.open();
    // What happened between two leaders nobody heard.
    tab.report({ kind: 'batch', batch: { events: [], hasMissed: true } });
    await new Promise(() => undefined);
  });
  return (message) => {
    if (message.kind === 'visibility') tab.changeVisibility(report, message.isVisible);
    if (message.kind === 'hello') channel.postMessage({ kind: 'hello' });
  };
}
