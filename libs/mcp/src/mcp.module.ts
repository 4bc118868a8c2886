import { Module } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import { McpController } from './http/mcp.controller.js';
import { McpMetrics } from './mcp-metrics.js';
import { McpSettings } from './mcp.settings.js';
import { CallTool } from './serving/call-tool.js';
import { McpServing } from './serving/mcp-serving.js';
import { ToolCatalog } from './serving/tool-catalog.js';
import { TOOLS } from './tools/all-tools.js';

/** `POST /mcp`: the API as tools for agents, each called in the name and with the rights of the caller. */
@Module({
  controllers: [McpController],
  providers: [
    McpMetrics,
    {
      provide: ToolCatalog,
      inject: [McpSettings],
      useFactory: ({ write }: McpSettings) => new ToolCatalog(TOOLS.filter(({ writes }) => write || !writes)),
    },
    {
      provide: McpServing,
      inject: [ToolCatalog, McpMetrics, LOGGER],
      useFactory: (catalog: ToolCatalog, metrics: McpMetrics, logger: Logger) =>
        new McpServing(catalog, new CallTool(catalog, metrics, logger), logger),
    },
  ],
})
export class McpModule {}
