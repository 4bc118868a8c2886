import type { ClientCall } from '../../client/client-command.js';
import { oneLine } from '../../client/output/clean-text.js';

/** `spandrel eval cancel`: no further sample of the run begins. */
export async function cancelEval({ api, out }: ClientCall<object>, runId: string): Promise<void> {
  const run = await api.cancelEval({ path: { id: runId } });
  if (out.json) await out.document(run);
  else {
    const { name, sample_progress: done, sample_total: total } = run;
    await out.lines([`Cancelled ${oneLine(name)} (${runId}); ${done} of ${total} samples are processed.`]);
  }
}
