import { describe, expect, it } from '@jest/globals';
import { lostExportAdvice, lostExportOf } from './lost-export.js';

describe('an export that lost its way', () => {
  it.each([
    ['/v1/trace', undefined],
    ['/v1/log/', undefined],
    ['/v1/traces/v1/traces', 'application/json'],
    ['/api/v1/traces', 'application/json; charset=utf-8'],
    ['/', 'application/x-protobuf'],
    ['/api/otel', 'application/protobuf; x=y'],
    ['/v1/metrics/x', undefined],
    ['/v1/logs%20', undefined],
  ])('%s of type %s is one', (path, contentType) => {
    expect(lostExportOf(path, contentType)).toBe('http');
  });

  it.each([
    ['/opentelemetry.proto.collector.trace.v1.TraceService/Export', undefined],
    ['/anything', 'application/grpc+proto'],
  ])('%s of type %s speaks gRPC', (path, contentType) => {
    expect(lostExportOf(path, contentType)).toBe('grpc');
  });

  it.each([
    ['/v1/chat/completions', 'application/json'],
    ['/traces', undefined],
    ['/api/trace', 'application/json'],
    ['/v1/metricsx', 'application/protobuffer'],
    ['/v1/traces-of-mine', undefined],
  ])('%s of type %s is none', (path, contentType) => {
    expect(lostExportOf(path, contentType)).toBeUndefined();
  });

  it('is told which variables to set', () => {
    expect(lostExportAdvice('http')).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
    expect(lostExportAdvice('grpc')).toContain('OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf');
  });
});
