import { connectionsFeature } from '@spandrel/connections';
import { eventsFeature } from '@spandrel/events';
import type { Feature } from '@spandrel/kernel';
import { tracingFeature } from '@spandrel/tracing';

/** Every feature this server has; config `features:` selects among them. */
export const FEATURES: readonly Feature[] = [eventsFeature, tracingFeature, connectionsFeature];
