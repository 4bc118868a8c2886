import { pluginAtFault } from '../plugins/plugin-context.js';
import { isLostConnection, lostConnections } from './lost-connection.js';

export interface StrayFaultListeners {
  /** Gets a fault of this program. It is to end it in order: what state it left behind nobody knows. */
  ofOurs: (error: Error) => void;
  /** Gets what a plugin leaves behind beside its answers, such as a timer that throws. The program goes on. */
  ofPlugin?: (error: Error, plugin: string) => void;
  ofConnection: (error: Error) => void;
}

/** Hears of errors that nobody handles: exceptions outside of any caller, promises whose rejection nobody takes. */
export function onStrayFaults({ ofOurs, ofPlugin = ofOurs, ofConnection }: StrayFaultListeners): void {
  const report = (reason: unknown): void => {
    const error = reason instanceof Error ? reason : new Error(`not an error: ${String(reason)}`);
    const plugin = pluginAtFault();
    if (plugin === undefined) ofOurs(error);
    else ofPlugin(error, plugin);
  };
  process.on('uncaughtException', (error, origin) => {
    if (!isLostConnection(error, origin)) return report(error);
    lostConnections.count++;
    ofConnection(error);
  });
  process.on('unhandledRejection', report);
}
