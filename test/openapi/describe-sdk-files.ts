import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { tempDir } from '../support/spandrel.ts';
import type { Described } from './described.ts';

/** The test that the API client of the SDK knows the operations of a server, and their types. */
export function describeSdkFiles(described: () => Described): void {
  describe('the API client of the SDK', () => {
    it('is made from this document', () => {
      const document = join(tempDir(), 'openapi.json');
      writeFileSync(document, JSON.stringify(described().document));
      const args = ['scripts/generate-sdk.mjs', '--check', '--document', document];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
    }, 60_000);
  });
}
