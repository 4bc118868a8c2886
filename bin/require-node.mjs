/**
 * Ends the process with a sentence on a Node that is too old, in place of the first thing that is missing there. A script
 * imports this first; its other imports must be names that any Node has, since those are looked up before anything runs.
 */
import { nodeFault } from './node-version.cjs';

const fault = nodeFault();
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}
