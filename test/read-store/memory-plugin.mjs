/** The plain read store as a plugin of its own; tests reach it by `globalThis.memoryReadStore`. */
export default {
  name: 'memory',
  extensionPoint: 'read-store',
  apiVersion: 1,
  setup: () => globalThis.memoryReadStore,
};
