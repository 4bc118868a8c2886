import { EventStream, browserParts, type Source } from './event-stream.js';
import { LIVE, type TabMessage } from './live-event.js';
import { LiveTabs, type SendMessage } from './live-tabs.js';

/** The scope of a shared worker, which TypeScript's library for pages does not know. */
interface SharedWorkerScope {
  readonly name: string;
  onconnect: ((event: MessageEvent) => void) | null;
}

const scope = globalThis as unknown as SharedWorkerScope;

const tabs = new LiveTabs();
/** The worker is named for what the addresses of its tabs begin with. */
const open = (address: string): Source => new EventSource(scope.name.replace(LIVE, '') + address);
const stream = new EventStream({ ...browserParts, open }, (message) => tabs.send(message));

/** One worker for all tabs of a browser: it holds their one stream. */
scope.onconnect = ({ ports: [port] }) => {
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
