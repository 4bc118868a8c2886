import { pluginAtFault } from '../plugins/plugin-context.js';

/**
 * Hears of errors that nobody handles: exceptions outside of any caller, promises whose rejection nobody takes.
 * @param ofOurs gets a fault of this program. It is to end it in order: what state it left behind nobody knows.
 * @param ofPlugin gets what a plugin leaves behind beside its answers, such as a timer that throws. The program goes on.
 */
export function onStrayFaults(
  ofOurs: (error: Error) => void,
  ofPlugin: (error: Error, plugin: string) => void = ofOurs,
): void {
  const tell = (reason: unknown): void => {
    const error = reason instanceof Error ? reason : new Error(`not an error: ${String(reason)}`);
    const plugin = pluginAtFault();
    if (plugin === undefined) ofOurs(error);
    else ofPlugin(error, plugin);
  };
  process.on('uncaughtException', tell);
  process.on('unhandledRejection', tell);
}
