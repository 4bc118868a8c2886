import { EventStream, browserParts } from './event-stream.js';
import type { TabMessage } from './live-event.js';
import { LiveTabs, type Tell } from './live-tabs.js';

/** The scope of a shared worker, which TypeScript's library for pages does not know. */
interface SharedWorkerScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const tabs = new LiveTabs();
const stream = new EventStream(browserParts, (message) => tabs.tell(message));

/** One worker for all tabs of a browser: it holds their one stream. */
(globalThis as unknown as SharedWorkerScope).onconnect = ({ ports: [port] }) => {
  const tell: Tell = (message) => port!.postMessage(message);
  port!.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'bye') {
      tabs.remove(tell);
      if (tabs.isEmpty) stream.close();
    } else if (data.kind === 'hello') {
      stream.open();
      tabs.add(tell, data.isVisible, stream.currentState);
    } else {
      tabs.changeVisibility(tell, data.isVisible);
    }
  };
};
