/** The part of Trusted Types that is used here; browsers without it have no such object. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };

/** The page's one policy: it lets the addresses of own workers through, and nothing else. */
const policy = trustedTypes?.createPolicy('spandrel', {
  createScriptURL(url) {
    if (new URL(url, location.href).origin !== location.origin) throw new TypeError('only own scripts may be started');
    return url;
  },
});

/** The address of an own script as `Worker` and `SharedWorker` take it. @param url ends of `?worker&url` imports. */
export const trustedUrl = (url: string): string => (policy ? (policy.createScriptURL(url) as string) : url);
