/** Makes the bundles where there are none of these sources yet. */
export function bundleLibs(): Promise<void>;
