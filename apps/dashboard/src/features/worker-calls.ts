import { EMBEDDED } from '../api/share-token.js';

/** What a worker answers: functions by name, of one argument each. */
type Calls = Readonly<Record<string, (given: never) => unknown>>;

interface CallMessage {
  id: number;
  name: string;
  given: unknown;
}

type Reply = { id: number; answer: unknown } | { id: number; fault: string };

/** Calls a function of a worker by its name. It rejects with what the function threw. */
export type CallWorker<Served extends Calls> = <Name extends keyof Served & string>(
  name: Name,
  given: Parameters<Served[Name]>[0],
) => Promise<ReturnType<Served[Name]>>;

/**
 * @param address of the worker's file, in the form that the policy of the page wants.
 * @returns what calls the functions that the worker serves. It starts with the first call, and again after it has failed.
 */
export function connectWorker<Served extends Calls>(address: string, name: string): CallWorker<Served> {
  let worker: Worker | null = null;
  let lastId = 0;
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  const start = (): Worker => {
    // Browsers run no modules that a file on a disk makes.
    const started = new Worker(address, { type: EMBEDDED ? 'classic' : 'module', name });
    started.onmessage = ({ data }: MessageEvent<Reply>) => {
      const call = waiting.get(data.id);
      waiting.delete(data.id);
      if ('fault' in data) call?.reject(new Error(data.fault));
      else call?.resolve(data.answer);
    };
    started.onerror = (event) => {
      event.preventDefault();
      for (const { reject } of waiting.values()) reject(new Error('The texts could not be read.'));
      waiting.clear();
      started.terminate();
      worker = null;
    };
    return started;
  };
  return (call, given) =>
    new Promise((resolve, reject) => {
      const message: CallMessage = { id: ++lastId, name: call, given };
      waiting.set(message.id, { resolve: resolve as (answer: unknown) => void, reject });
      worker ??= start();
      worker.postMessage(message);
    });
}

/** How queries ask a worker: its answers may be large, and are forgotten with who asked. */
export const OF_WORKER = {
  gcTime: 0,
  staleTime: Infinity,
  retry: false,
  structuralSharing: false,
  networkMode: 'always',
} as const;

/** The worker's own side, as far as it is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<CallMessage>) => void) | null;
  postMessage(reply: Reply, transfer: Transferable[]): void;
}

/** Answers the calls of {@link connectWorker}, in a worker. @param transfer what of an answer is handed over and not copied. */
export function serveCalls(calls: Calls, transfer: (answer: unknown) => Transferable[] = () => []): void {
  const scope = globalThis as unknown as WorkerScope;
  scope.onmessage = ({ data: { id, name, given } }) => {
    try {
      const answer = calls[name]!(given as never);
      scope.postMessage({ id, answer }, transfer(answer));
    } catch (error) {
      scope.postMessage({ id, fault: error instanceof Error ? error.message : String(error) }, []);
    }
  };
}
