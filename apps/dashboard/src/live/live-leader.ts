import { browserParts, EventStream } from './event-stream.js';
import { MISSED, type LiveMessage, type TabMessage } from './live-event.js';
import { LiveTabs, type SendMessage } from './live-tabs.js';

/** Without shared workers the tab that has the lock holds the stream, and passes on what comes to the others. */
export function connectToLeader(
  name: string,
  onMessage: SendMessage,
  isVisible: boolean,
): (message: TabMessage) => void {
  const channel = new BroadcastChannel(name);
  const tab = new LiveTabs();
  tab.add(onMessage, isVisible, 'reconnecting');
  let stream: EventStream | null = null;
  channel.onmessage = ({ data }: MessageEvent<LiveMessage | { kind: 'hello' }>) => {
    if (data.kind !== 'hello') tab.send(data);
    else if (stream !== null) {
      channel.postMessage({ kind: 'state', state: stream.currentState });
      channel.postMessage({ kind: 'batch', batch: MISSED });
    }
  };
  void navigator.locks.request(name, async () => {
    stream = new EventStream(browserParts, (message) => {
      tab.send(message);
      channel.postMessage(message);
    });
    stream.open();
    await new Promise(() => undefined);
  });
  return (message) => {
    if (message.kind === 'visibility') tab.changeVisibility(onMessage, message.isVisible);
    if (message.kind === 'hello') channel.postMessage({ kind: 'hello' });
  };
}
