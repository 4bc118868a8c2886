import { randomBytes } from 'node:crypto';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { failed, ok, warn, type Check } from './check.js';

/** The tag of what the doctor records. */
const TAG = 'spandrel-doctor';

/**
 * Records a trace with one span as an SDK does, reads it back and removes it again.
 * @param scopes what the credential may do; without `read` it is not read back, without `write` it stays.
 */
export async function checkWrite(api: Api, scopes: ReadonlySet<string>): Promise<Check> {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const input = `written by spandrel doctor, ${new Date().toISOString()} — ✓`;
  const at = new Date().toISOString();
  try {
    const { rejected } = await api.ingest({
      body: {
        traces: [{ id: traceId, name: 'spandrel doctor', tags: [TAG], started_at: at }],
        spans: [{ id: spanId, trace_id: traceId, name: 'check', input, output: 'ok', started_at: at, ended_at: at }],
      },
    });
    const [fault] = rejected;
    if (fault) {
      return failed(
        'write',
        `the server rejected what was sent: ${fault.code} (${fault.message})`,
        'update this command or the server',
      );
    }
    if (!scopes.has('read')) return ok('write', 'a span was recorded; the key cannot read it back');
    const span = await api.getSpan({ path: { id: spanId } });
    if (span.input !== input || span.trace_id !== traceId) {
      const remedy = 'masking rules of the project may have replaced a part; else look for a proxy that changes bodies';
      return warn('write', 'a span was recorded, and reads otherwise than it was written', remedy);
    }
    if (!scopes.has('write')) {
      return ok('write', `a span was recorded and read back; the trace ${traceId} stays, as the key cannot delete it`);
    }
    await api.deleteTrace({ path: { id: traceId } });
    return ok('write', 'a span was recorded, read back and removed');
  } catch (error) {
    if (!(error instanceof SpandrelError) || error.status < 400) throw error;
    const remedy = error.status === 403 ? 'a key needs the scope ingest or write' : 'the log of the server says more';
    return failed('write', `${error.code} (${error.detail})`, remedy);
  }
}
