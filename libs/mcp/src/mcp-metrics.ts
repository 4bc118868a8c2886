import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { METRICS } from '@spandrel/kernel';
import { TOOLS } from './tools/all-tools.js';

/** What became of a call: answered, refused for what was asked, or failed on the side of the server. */
const CALL_RESULTS = ['ok', 'refused', 'failed'] as const;
export type CallResult = (typeof CALL_RESULTS)[number];

@Injectable()
export class McpMetrics {
  private readonly calls: Counter<'tool' | 'result'>;

  constructor(@Inject(METRICS) registry: Registry) {
    this.calls = new Counter({
      name: 'spandrel_mcp_calls_total',
      help: 'Calls of MCP tools, by tool and result: ok, refused (what was asked), failed (the server).',
      labelNames: ['tool', 'result'] as const,
      registers: [registry],
    });
    // From 0, so that an alert sees the first one.
    for (const { name: tool } of TOOLS) for (const result of CALL_RESULTS) this.calls.inc({ tool, result }, 0);
  }

  count(tool: string, result: CallResult): void {
    this.calls.inc({ tool, result });
  }
}
