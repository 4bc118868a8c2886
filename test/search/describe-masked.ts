/** Values that rules mask reach neither the search index nor the provider of embeddings (docs/spec/masking.md). */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CloudApp } from '../support/cloud-app.ts';
import { Searcher, type SearchLab } from './search-lab.ts';

const RULES = [{ masker: 'email' }, { masker: 'card' }, { masker: 'pattern', config: { pattern: 'EMP-\\d{6}' } }];
const VALUES = 'jane@planted.example, card 4111 1111 1111 1111, staff EMP-123456';
/** Parts of the values, as the index takes texts apart into words. */
const NEEDLES = ['planted', '4111', '123456'];

const foundIn = (texts: readonly string[]): string[] =>
  texts.filter((text) => NEEDLES.some((needle) => text.includes(needle)));

/** What of masked texts the index gets. */
export function describeMasked(opened: () => SearchLab): void {
  describe('a search index behind masking', () => {
    let lab: SearchLab;
    let where: { url: string; schema: string };
    let app: CloudApp;
    let searcher: Searcher;

    beforeAll(async () => {
      lab = opened();
      where = await lab.newDatabase();
      app = await lab.start(where);
      searcher = new Searcher(await app.createTenant({ name: 'masked' }));
      await searcher.connect(lab.embeddings.url);
    });
    afterAll(() => app && lab.stop(app));

    const record = async (id: string): Promise<void> => {
      const said = `tide ${VALUES}`;
      await searcher.record({ id, name: said, input: { messages: [said] }, output: said });
    };

    it('has values in the index and at the provider while there are no rules', async () => {
      await record('clear');
      await searcher.findsSoon('tide', ['clear'], { mode: 'vector' });
      expect(foundIn(await lab.contents(where.schema))).toHaveLength(1);
      expect(foundIn(lab.embeddings.texts)).not.toEqual([]);
    });

    it('has none of the values of a span that was recorded under rules', async () => {
      const path = `/api/projects/${searcher.projectId}/masking`;
      expect((await searcher.tenant.api.send('PUT', path, { rules: RULES })).status).toBe(200);
      const sentBefore = lab.embeddings.texts.length;
      await record('masked');
      await searcher.findsSoon('tide', ['clear', 'masked'], { mode: 'vector' });
      const sent = lab.embeddings.texts.slice(sentBefore);
      expect(sent.join('\n')).toContain('[card]');
      expect(foundIn(sent)).toEqual([]);
      const rows = await lab.contents(where.schema);
      expect(rows).toHaveLength(2);
      expect(foundIn(rows)).toEqual([expect.stringContaining('"clear"')]);
    });
  });
}
