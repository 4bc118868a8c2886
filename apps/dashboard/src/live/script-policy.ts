import { EMBEDDED } from '../api/share-token.js';

/** TypeScript's library does not know Trusted Types yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    /** A `TrustedScriptURL`, which stands where a text did. */
    createScriptURL(url: string): string;
  };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };

/** The one policy that the page may have: scripts of workers come from this server's own `/assets/` and, in development, from Vite. */
const policy = trustedTypes?.createPolicy('spandrel', { createScriptURL: ownScript });

/** The address of a worker, in the form that the policy of the page wants. @throws TypeError for an address of somebody else. */
export function workerAddress(url: string): string {
  return policy?.createScriptURL(url) ?? ownScript(url);
}

function ownScript(url: string): string {
  // A file makes the addresses of its workers itself.
  if (!EMBEDDED && new URL(url, location.href).origin !== location.origin)
    throw new TypeError('a worker of another origin');
  return url;
}
