/** The pages of the dashboard as people use them, one part a page: with the mouse, and by keys alone. */
import { shareDashboard } from './shared-dashboard.ts';

shareDashboard();
// It counts the events of the instance, so that it comes first.
await import('./events.journeys.ts');
await import('./traces.journeys.ts');
await import('./lists.journeys.ts');
await import('./trace.journeys.ts');
await import('./bundles.journeys.ts');
await import('./span-texts.journeys.ts');
await import('./spans-sessions.journeys.ts');
await import('./analytics.journeys.ts');
await import('./boards.journeys.ts');
await import('./alerts.journeys.ts');
await import('./comments.journeys.ts');
await import('./connections.journeys.ts');
await import('./try.journeys.ts');
await import('./replay.journeys.ts');
await import('./datasets.journeys.ts');
await import('./captured.journeys.ts');
await import('./evaluations.journeys.ts');
await import('./job.journeys.ts');
await import('./review.journeys.ts');
await import('./review-traces.journeys.ts');
await import('./conversations.journeys.ts');
await import('./loop.journeys.ts');
await import('./walk.journeys.ts');
await import('./settings.journeys.ts');
await import('./views.journeys.ts');
await import('./scores.journeys.ts');
await import('./scoring-rules.journeys.ts');
await import('./late-answers.journeys.ts');
await import('./axe.journeys.ts');
