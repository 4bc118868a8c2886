import { EMBEDDED } from './share-token.js';

/** The part of a path that names its project, `/p/PROJECT`; `''` where it names none. */
export const baseOf = (path: string): string => path.match(/^\/p\/[^/]+/)?.[0] ?? '';

/**
 * What the addresses of this tab begin with, those of the API as well: `/p/PROJECT`, in cloud mode. `''` in local mode, on
 * pages of no project, and until it is known which project a short address leads to.
 */
export const BASE = EMBEDDED ? '' : baseOf(globalThis.location?.pathname ?? '');
