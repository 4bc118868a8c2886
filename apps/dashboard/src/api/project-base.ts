import { EMBEDDED } from './share-token.js';

/**
 * What the addresses of this tab begin with, those of the API as well: `/p/PROJECT`, in cloud mode. `''` in local mode, on
 * pages of no project, and until it is known which project a short address leads to.
 */
export const BASE = EMBEDDED ? '' : (globalThis.location?.pathname.match(/^\/p\/[^/]+/)?.[0] ?? '');
