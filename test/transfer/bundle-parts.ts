/** Files of traces as tests take them apart, and hostile ones. */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BUNDLE_FORMAT, type BundleManifest } from '@spandrel/contract';

const PART = /<script type="text\/plain" data-part="([^"]+)">([^<]*)<\/script>/g;

/** @returns the manifest, and the parts as texts. */
export function openBundle(html: string): { manifest: BundleManifest; parts: Record<string, string> } {
  const [, manifest = ''] = /<script type="text\/plain" data-manifest>([^<]*)<\/script>/.exec(html) ?? [];
  const parts = Array.from(html.matchAll(PART), ([, name, base64]) => {
    return [name, gunzipSync(Buffer.from(base64!, 'base64')).toString()] as const;
  });
  return { manifest: JSON.parse(manifest) as BundleManifest, parts: Object.fromEntries(parts) };
}

/** A file whose digests are right. @param changes of its manifest. */
export function madeBundle(content: string, changes: Partial<Record<keyof BundleManifest, unknown>> = {}): string {
  const bytes = gzipSync(content);
  const manifest = {
    ...{ format: BUNDLE_FORMAT, version: '0.1.0', created_at: '2026-01-01T00:00:00Z', masked: false, traces: [] },
    parts: [{ name: 'export', bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }],
    ...changes,
  };
  return (
    `<script type="text/plain" data-part="export">${bytes.toString('base64')}</script>` +
    `<script type="text/plain" data-manifest>${JSON.stringify(manifest)}</script>`
  );
}

/** A file with a bit of a part turned. */
export const changedBundle = (html: string, part: string): string =>
  html.replace(
    new RegExp(`(data-part="${part}">.{12})(.)`),
    (_all, before: string, one: string) => `${before}${one === 'A' ? 'B' : 'A'}`,
  );
