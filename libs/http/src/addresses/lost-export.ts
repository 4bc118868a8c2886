/** An export of OpenTelemetry that came to a path which takes none. */
type LostExport = 'http' | 'grpc';

const NEAR_PATH = /\/v1\/(?:traces?|logs?|metrics?)(?![\w-])/;
const EXPORT_MEDIA_TYPE = /^application\/(?:x-)?protobuf\s*(?:$|;)/i;
const GRPC_MEDIA_TYPE = /^application\/grpc/i;

/** The method of every call of gRPC to a collector ends so. */
const GRPC_METHOD = /^\/opentelemetry\.proto\.collector\.[a-z0-9.]+\.[A-Za-z]+Service\/Export$/;

/**
 * Whether a request is an export whose sender was set up with a wrong path or protocol: its path has nearly that of
 * OTLP in it, or only exporters send its media type.
 * @param path of a route that does not exist, or does not take exports.
 * @returns `undefined` for all other requests.
 */
export function lostExportOf(path: string, contentType: string | undefined): LostExport | undefined {
  if (GRPC_METHOD.test(path) || GRPC_MEDIA_TYPE.test(contentType ?? '')) return 'grpc';
  return NEAR_PATH.test(path) || EXPORT_MEDIA_TYPE.test(contentType ?? '') ? 'http' : undefined;
}

/** What the sender of such an export is to set, as a clause of a sentence. */
export function lostExportAdvice(lost: LostExport): string {
  return lost === 'grpc'
    ? 'gRPC is not served; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, and OTEL_EXPORTER_OTLP_ENDPOINT to the address of the API'
    : 'exports of OpenTelemetry go to /v1/traces, which exporters put behind OTEL_EXPORTER_OTLP_ENDPOINT by themselves: set that to the address of the API without a path';
}
