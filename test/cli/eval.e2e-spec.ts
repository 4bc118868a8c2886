/** `spandrel eval`: on runs of the server, on files of one's own, and in CI. */
import { afterAll, beforeAll } from '@jest/globals';
import { ciPage } from './ci-page.ts';
import { EvalCommandLab } from './eval-command-lab.ts';
import { evalFiles } from './eval-files.ts';
import { evalGroups } from './eval-groups.ts';
import { evalProcesses } from './eval-processes.ts';
import { evalPrompts } from './eval-prompts.ts';
import { evalRuns } from './eval-runs.ts';
import { evalRunsAfterwards } from './eval-runs-afterwards.ts';
import { evalStumbles } from './eval-stumbles.ts';

let lab: EvalCommandLab;
beforeAll(async () => {
  lab = await EvalCommandLab.open();
});
afterAll(() => lab?.close());

evalRuns(() => lab);
evalPrompts(() => lab);
evalRunsAfterwards(() => lab);
evalFiles(() => lab);
evalGroups(() => lab);
evalProcesses(() => lab);
evalStumbles(() => lab);
ciPage(() => lab);
