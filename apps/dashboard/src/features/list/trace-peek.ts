import { createContext, type ComponentType } from 'react';

export interface TracePeekProps {
  traceId: string;
  /** The span that is shown first; the last call of a model where none is given, or it is not there. */
  spanId?: string | undefined;
  onClose(): void;
}

/** What shows a trace beside a list. The shell provides it, so that lists know nothing of the page of a trace. */
export const TracePeek = createContext<ComponentType<TracePeekProps>>(() => null);
