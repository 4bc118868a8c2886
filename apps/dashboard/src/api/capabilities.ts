import { call } from './call.js';

/** What is read of `GET /api/capabilities`. */
export interface Capabilities {
  version: string;
  mode: 'local' | 'cloud';
  gateway_url: string | null;
}

/** `GET /api/capabilities`: what this server can do, and where its gateway is. */
export function readCapabilities(signal?: AbortSignal): Promise<Capabilities> {
  return call('/api/capabilities', signal && { signal });
}
