/** What the search index keeps behind masking, kills and deletions. One index for all: it takes seconds to open. */
import { afterAll, beforeAll } from '@jest/globals';
import { describeKill } from './describe-kill.ts';
import { describeMasked } from './describe-masked.ts';
import { describeRemoval } from './describe-removal.ts';
import { SearchLab } from './search-lab.ts';

let lab: SearchLab;
beforeAll(async () => {
  lab = await SearchLab.open();
});
afterAll(() => lab?.close());

const opened = (): SearchLab => lab;
describeMasked(opened);
describeKill(opened);
// Takes the index away for a while.
describeRemoval(opened);
