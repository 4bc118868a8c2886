import { EventStream, browserParts } from './event-stream.js';
import type { TabMessage } from './live-event.js';
import { LiveTabs, type SendMessage } from './live-tabs.js';

/** The scope of a shared worker, which TypeScript's library for pages does not know. */
interface SharedWorkerScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const tabs = new LiveTabs();
const stream = new EventStream(browserParts, (message) => tabs.send(message));

/** One worker for all tabs of a browser: it holds their one stream. */
(globalThis as unknown as SharedWorkerScope).onconnect = ({ ports: [port] }) => {
  const send: SendMessage = (message) => port!.postMessage(message);
  port!.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'bye') {
      tabs.remove(send);
      if (tabs.isEmpty) stream.close();
    } else if (data.kind === 'hello') {
      stream.open();
      tabs.add(send, data.isVisible, stream.currentState);
    } else {
      tabs.changeVisibility(send, data.isVisible);
    }
  };
};
