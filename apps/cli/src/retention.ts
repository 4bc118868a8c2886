import 'reflect-metadata';
import { accessFeature } from '@spandrel/access';
import { analyticsFeature } from '@spandrel/analytics';
import { connectionsFeature } from '@spandrel/connections';
import { formatCounted } from '@spandrel/contract/browser';
import { eventsFeature } from '@spandrel/events';
import { commandContext, inContext, StartError } from '@spandrel/kernel';
import { searchFeature, SearchSettings } from '@spandrel/search';
import { openServer } from '@spandrel/server';
import { RetentionTask, tracingFeature, type Expired } from '@spandrel/tracing';
import { commandLogger } from './command-database.js';
import { commandSettings, printFailure } from './command-settings.js';

/** What hears of deleted spans, and what that needs. */
const FEATURES = [eventsFeature, accessFeature, tracingFeature, connectionsFeature, analyticsFeature, searchFeature];

/**
 * `spandrel retention run`: deletes at once what is older than the plans of organizations keep, and says how much of each
 * plan. Ends with 1 in local mode, which keeps everything, or when it fails; what it deleted by then stays deleted.
 * @param args settings, as for the server.
 */
export async function runRetention(args: readonly string[]): Promise<void> {
  try {
    const settings = commandSettings(args);
    const { core } = settings;
    if (core.mode === 'local') throw new StartError(['local mode keeps everything: there is nothing to delete']);
    // Without an index in the settings of the command search would forget how far the servers' index is.
    const withoutIndex = settings.of(SearchSettings).index === null;
    const features = FEATURES.filter((feature) => feature !== searchFeature || !withoutIndex);
    const { app, close } = await openServer(settings, { features, logger: commandLogger(settings) });
    try {
      await app.init();
      const task = app.get(RetentionTask);
      const expired = await inContext(commandContext(), () => task.run(new AbortController().signal));
      if (!expired)
        throw new StartError(['features: the feature "access" is not loaded, so no plan says how long data is kept']);
      report(expired);
    } finally {
      await close();
    }
  } catch (error) {
    printFailure(error);
  }
}

function report({ plans, daysDropped }: Expired): void {
  const lines = [...plans].map(
    ([plan, { days, traces, spans }]) =>
      `${days === null ? plan : `${plan} (${days} days)`}: ${formatCounted(traces, 'trace')} and ${formatCounted(spans, 'span')} deleted`,
  );
  if (lines.length === 0) lines.push('There are no projects.');
  lines.push(`${formatCounted(daysDropped, 'day')} dropped as a whole.`);
  process.stdout.write(`${lines.join('\n')}\n`);
}
