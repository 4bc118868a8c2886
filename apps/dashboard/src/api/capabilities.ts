import type { CapabilitiesResource } from '@spandrel/contract';
import { call } from './call.js';

/** What this server can do, and how it is set up. */
export type Capabilities = CapabilitiesResource;

/** `GET /api/capabilities`: what this server can do, and where its gateway is. */
export function readCapabilities(signal?: AbortSignal): Promise<Capabilities> {
  return call('/api/capabilities', signal && { signal });
}
