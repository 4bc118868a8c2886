import { DEMO_TAG } from '@spandrel/contract';

/**
 * What marks the things that `spandrel demo` makes: they are found again by it, and nothing of the user's is taken for
 * them. Traces and the dataset have fixed ids; the connection has a base URL with a path that only the demo uses; capture
 * rule, datapoints, runs and queue items go with the dataset.
 */
export const DEMO_MARKS = {
  /** Capture rules that do not ask for it leave these traces out. */
  tag: DEMO_TAG,
  traceIdPrefix: 'spandrel-demo-',
  datasetId: 'spandrel-demo',
  sessionId: 'spandrel-demo-session',
  userId: 'spandrel-demo-user',
  /** Path of the fake model's base URL. */
  modelPath: '/spandrel-demo',
} as const;

/** The metadata of every trace of the demo. */
export const DEMO_METADATA = {
  demo: true,
  fake_model: 'the answers are made up by spandrel demo; no provider was called',
};
