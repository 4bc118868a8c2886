import { tableOf } from '@spandrel/storage';
import { OtlpEventSchema } from './otlp-event.entity.js';

export const otlpEventTable = tableOf(OtlpEventSchema, ['projectId', 'traceId', 'spanId', 'id']);
