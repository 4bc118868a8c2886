import { browserParts } from './browser-parts.js';
import { EventStream } from './event-stream.js';
import type { LiveMessage, TabMessage } from './live-event.js';
import { LiveTabs, type Tell } from './live-tabs.js';
// oxlint-disable-next-line import/default -- Vite makes the address of the worker's file the default export
import workerUrl from './live.worker.js?worker&url';
import { workerAddress } from './script-policy.js';

/**
 * Connects this tab to the stream that all tabs of the browser share.
 * @param audience the project whose changes are told; another one has another stream.
 */
export function connectLive(tell: Tell, audience: string): void {
  const name = `spandrel.live ${audience}`;
  const isVisible = (): boolean => document.visibilityState === 'visible';
  const send =
    typeof SharedWorker === 'function' ? connectToWorker(name, tell) : connectToLeader(name, tell, isVisible());
  const hello = (): void => send({ kind: 'hello', isVisible: isVisible() });
  hello();
  document.addEventListener('visibilitychange', () => send({ kind: 'visibility', isVisible: isVisible() }));
  // A page that is kept for Back says hello again when it is shown.
  addEventListener('pagehide', () => send({ kind: 'bye' }));
  addEventListener('pageshow', (event) => event.persisted && hello());
}

function connectToWorker(name: string, tell: Tell): (message: TabMessage) => void {
  const { port } = new SharedWorker(workerAddress(workerUrl), { type: 'module', name });
  port.onmessage = ({ data }: MessageEvent<LiveMessage>) => tell(data);
  return (message) => port.postMessage(message);
}

/** Without shared workers the tab that has the lock holds the stream, and tells the others. */
function connectToLeader(name: string, tell: Tell, isVisible: boolean): (message: TabMessage) => void {
  const channel = new BroadcastChannel(name);
  const tab = new LiveTabs();
  tab.add(tell, isVisible, 'reconnecting');
  let stream: EventStream | null = null;
  channel.onmessage = ({ data }: MessageEvent<LiveMessage | { kind: 'hello' }>) => {
    if (data.kind !== 'hello') tab.tell(data);
    else if (stream !== null) channel.postMessage({ kind: 'state', state: stream.currentState });
  };
  void navigator.locks.request(name, async () => {
    stream = new EventStream(browserParts, (message) => {
      tab.tell(message);
      channel.postMessage(message);
    });
    stream.open();
    // What happened between two leaders nobody heard.
    tab.tell({ kind: 'batch', batch: { events: [], hasMissed: true } });
    await new Promise(() => undefined);
  });
  return (message) => {
    if (message.kind === 'visibility') tab.changeVisibility(tell, message.isVisible);
    if (message.kind === 'hello') channel.postMessage({ kind: 'hello' });
  };
}
