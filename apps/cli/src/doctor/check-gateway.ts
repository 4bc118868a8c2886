import { formatCounted } from '@spandrel/contract/browser';
import { createApi, SpandrelError } from '@spandrel/sdk';
import type { CommandIo } from '../client/command-io.js';
import { failed, ok, warn, type Check } from './check.js';

/** What `/readyz` of a gateway tells (docs/spec/gateway.md#the-gateways-own-endpoints). */
interface GatewayState {
  status?: string;
  api?: 'up' | 'down';
  spool?: { items: number };
  dropped_recordings?: number;
  capture?: string;
}

/** @returns checks of the gateway: whether it forwards, whether what it records arrives, and what that is. */
export async function checkGateway(url: string | null, signal: CommandIo['signal']): Promise<Check[]> {
  if (url === null) {
    const remedy = 'where there is one, tell the server (gateway.public_url), or this command (SPANDREL_GATEWAY_URL)';
    return [warn('gateway', 'the server does not know where the gateway is', remedy)];
  }
  let state: GatewayState;
  try {
    const answer = await createApi({ url }).raw('GET', '/readyz', { signal, retry: false, timeoutMs: 10_000 });
    state = (await answer.json()) as GatewayState;
  } catch (error) {
    signal.throwIfAborted();
    const { detail } = error instanceof SpandrelError ? error : { detail: (error as Error).message };
    const remedy = `start it, or correct its address; SPANDREL_GATEWAY_URL beats what the server says`;
    return [failed('gateway', `no gateway answers at ${url}: ${detail}`, remedy)];
  }
  const { api, spool, capture } = state;
  if (api === undefined || spool === undefined || capture === undefined) {
    const remedy = 'it is one port above the API unless set otherwise';
    return [failed('gateway', `what answers at ${url} is no gateway`, remedy)];
  }
  return [stateCheck({ ...state, api, spool }, url), captureCheck(capture)];
}

function stateCheck(state: GatewayState & Required<Pick<GatewayState, 'api' | 'spool'>>, url: string): Check {
  const { api, spool, dropped_recordings: dropped = 0 } = state;
  const waiting = spool.items === 0 ? '' : `; ${formatCounted(spool.items, 'recording')} waiting`;
  if (api === 'down') {
    const message = `the gateway at ${url} forwards, and does not reach the API${waiting}`;
    return failed('gateway', message, 'its setting api_url must name the server');
  }
  if (dropped > 0) {
    const message = `the gateway at ${url} has lost ${formatCounted(dropped, 'recording')} since it started${waiting}`;
    return warn('gateway', message, 'its metric spandrel_gateway_dropped_recordings_total says why');
  }
  return ok('gateway', `forwards at ${url} and reaches the API${waiting}`);
}

function captureCheck(capture: string): Check {
  if (capture === 'Full') return ok('capture', 'Full: inputs and outputs of calls are recorded');
  const what =
    capture === 'Off'
      ? 'Off: calls are recorded without inputs and outputs'
      : `${capture}: the beginnings of inputs and outputs are recorded`;
  return warn('capture', what, 'where that is not meant, set gateway.capture to Full');
}
