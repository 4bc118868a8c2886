import { Module } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import { McpController } from './http/mcp.controller.js';
import { McpMetrics } from './mcp-metrics.js';
import { McpSettings } from './mcp.settings.js';
import { CallTool } from './serving/call-tool.js';
import { McpServing } from './serving/mcp-serving.js';
import { TOOLS } from './tools/all-tools.js';

/** `POST /mcp`: the API as tools for agents, each called in the name and with the rights of the caller. */
@Module({
  controllers: [McpController],
  providers: [
    McpMetrics,
    {
      provide: McpServing,
      inject: [McpSettings, McpMetrics, LOGGER],
      useFactory: ({ write }: McpSettings, metrics: McpMetrics, logger: Logger) => {
        const tools = TOOLS.filter(({ writes }) => write || !writes);
        return new McpServing(new CallTool(tools, metrics, logger), logger);
      },
    },
  ],
})
export class McpModule {}
