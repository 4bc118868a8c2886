import type { SettingsPart } from '../config/define-settings.js';
import type { OwnedTable } from './owned-table.js';

/**
 * A feature: a Nest module plus what the kernel must know of it before Nest starts.
 * Config `features:` selects features by name; without it all features of the mode load.
 */
export interface Feature {
  readonly name: string;
  /** Heading of its routes in the OpenAPI document; its name when left out. */
  readonly tag?: { name: string; description: string };
  /** The Nest module class. */
  readonly module: abstract new (...args: never[]) => unknown;
  /** Entities the feature stores, as `defineEntity` made them; handed to storage unread. */
  readonly entities: readonly unknown[];
  /** Tables whose rows belong to a project or an organization, in the order in which they go with it. */
  readonly owned?: readonly OwnedTable[];
  /** What users set of it: each class is also the token by which the feature injects its values. */
  readonly settings?: readonly SettingsPart[];
  /** Names of features that must be loaded too. */
  readonly requires: readonly string[];
  /** The one mode it is for; both when left out. */
  readonly mode?: 'local' | 'cloud';
}

/** Types a feature. */
export const defineFeature = (feature: Feature): Feature => Object.freeze(feature);
