import { publicLookup } from '@spandrel/kernel';
import { UpstreamError } from './upstream-client.js';

/** A `lookup` for sockets to hosts that callers name: it hands out public addresses only. */
export const guardedLookup = publicLookup(
  () => new UpstreamError('refused', 'the name resolves to an address that is not public'),
);
