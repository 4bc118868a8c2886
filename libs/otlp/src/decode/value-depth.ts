/** How deep lists and maps of an attribute may stand within each other. */
export const VALUE_DEPTH_MAX = 64;
