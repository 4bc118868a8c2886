/** The end of an image that is pinned to its bytes. */
export const DIGEST = /@sha256:[0-9a-f]{64}$/;

/** Files of the repository that name images of others. */
export const FILES_WITH_IMAGES = [
  'Dockerfile',
  'compose.yaml',
  'deploy/clickhouse/compose.yaml',
  'deploy/clickhouse/compose.cluster.yaml',
];

/**
 * Images of others that a file begins with or runs.
 * @param file `Dockerfile`, or a compose file.
 */
export function foreignImages(file, text) {
  const found =
    file === 'Dockerfile'
      ? [...text.matchAll(/^FROM (?:--\S+ )*(\S+)/gm)].map(([, image]) => image)
      : [...text.matchAll(/^\s+image: *['"]?([^\s'"]+)/gm)].map(([, image]) => image);
  // Stages and images of our own have no version with a dot in it, or none from elsewhere.
  return [...new Set(found)].filter((image) => image.includes(':') && !image.startsWith('spandrel'));
}

/** Images without a digest, a line each. */
export const unpinnedImages = (file, text) =>
  foreignImages(file, text)
    .filter((image) => !DIGEST.test(image))
    .map((image) => `${file}: ${image} is not pinned to a digest; scripts/pin-images.mjs does that at a release`);
