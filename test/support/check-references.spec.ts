/** The check of references to documentation, run on small repositories of its own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

const PAGES = {
  'docs/spec/spans.md': '# Spans\n\n## Finishing a span\n\n### The `kind`, and more\n\n## Twice\n\n## Twice\n',
  'docs/adr/0003-payload-split.md': '# 0003: Payloads\n',
};

/** The faults that the check finds in a repository of these files beside {@link PAGES}. */
function faultsIn(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'references-'));
  roots.push(root);
  for (const [path, text] of Object.entries({ ...PAGES, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [resolve('scripts/check-references.mjs'), root]);
  const faults = stderr.toString().split('\n').filter(Boolean);
  expect(status).toBe(faults.length > 0 ? 1 : 0);
  return faults;
}

describe('the check of references', () => {
  it('passes pages and headings that exist, in code, settings and Markdown', () => {
    const faults = faultsIn({
      'libs/a.ts': '/** A rule (docs/spec/spans.md#finishing-a-span, docs/spec/spans.md). */\n// ADR 0003 says why.',
      'config/a.yaml': 'url: docs/spec/spans.md#the-kind-and-more\n',
      'README.md':
        '[spans](docs/spec/spans.md#twice-1), [here](#a-heading), [out](https://example.com/x.md)\n\n# A heading\n',
      'docs/b.md':
        '`libs/a.ts`, `libs/a`, `libs/<name>`, [up](../README.md), [spans](spec/spans.md#twice), [folder](spec), `docs/spec/spans.md`\n',
      'node_modules/x/y.ts': '// docs/none.md',
    });
    expect(faults).toEqual([]);
  });

  it('finds what does not exist', () => {
    const faults = faultsIn({
      'libs/a-page.ts': '\n// docs/spec/none.md',
      'a-heading.yaml': 'a: docs/spec/spans.md#none',
      'libs/not-from-the-root.ts': '// spans.md',
      'libs/a-decision.ts': '// ADR 0004',
      'docs/a-link.md': '[x](docs/spec/spans.md)',
      'docs/heading-of-a-link.md': '[x](spec/spans.md#none)',
      'docs/heading-of-its-own-page.md': '# A\n\n[x](#b)',
      'docs/heading-within-code.md': '```\n# b\n```\n\n[x](#b)',
      'docs/a-source.md': 'See `libs/b/src`.',
      'docs/a-page.md': 'See docs/none.md.',
    });
    expect(faults.toSorted()).toEqual([
      'a-heading.yaml:1: docs/spec/spans.md has no heading #none',
      'docs/a-link.md:1: there is no docs/docs/spec/spans.md',
      'docs/a-page.md:1: there is no docs/none.md',
      'docs/a-source.md:1: there is no libs/b/src',
      'docs/heading-of-a-link.md:1: docs/spec/spans.md has no heading #none',
      'docs/heading-of-its-own-page.md:3: docs/heading-of-its-own-page.md has no heading #b',
      'docs/heading-within-code.md:5: docs/heading-within-code.md has no heading #b',
      'libs/a-decision.ts:1: there is no ADR 0004',
      'libs/a-page.ts:2: there is no docs/spec/none.md',
      'libs/not-from-the-root.ts:1: there is no spans.md',
    ]);
  });

  it('refuses to name what is outside the repository', () => {
    const names = ['../shared/design', 'service-spec', 'contract.md', 'Contract.md', 'wire.md'];
    const faults = faultsIn(Object.fromEntries(names.map((name, n) => [`libs/${n}.ts`, `// see ${name} "Spans"`])));
    for (const n of names.keys()) {
      const reported = expect.stringMatching(new RegExp(`^libs/${n}\\.ts:1: .* is not in the repository$`));
      expect(faults).toContainEqual(reported);
    }
  });
});
