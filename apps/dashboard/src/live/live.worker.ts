import { EventStream, browserParts } from './event-stream.js';
import type { TabMessage } from './live-event.js';
import { LiveTabs, type Report } from './live-tabs.js';

/** The scope of a shared worker, which TypeScript's library for pages does not know. */
interface SharedWorkerScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const tabs = new LiveTabs();
const stream = new EventStream(browserParts, (message) => tabs.report(message));

/** One worker for all tabs of a browser: it holds their one stream. */
(globalThis as unknown as SharedWorkerScope).onconnect = ({ ports: [port] }) => {
  const report: Report = (message) => port!.postMessage(message);
  port!.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'bye') {
      tabs.remove(report);
      if (tabs.isEmpty) stream.close();
    } else if (data.kind === 'hello') {
      stream.open();
      tabs.add(report, data.isVisible, stream.currentState);
    } else {
      tabs.changeVisibility(report, data.isVisible);
    }
  };
};
