export type OpenApiSchema = { [keyword: string]: unknown };

export interface OpenApiMedia {
  schema: OpenApiSchema;
  example?: unknown;
}

export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: OpenApiSchema;
  style?: 'form';
  explode?: boolean;
  example?: unknown;
}

export interface OpenApiReference {
  $ref: string;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, OpenApiReference>;
  content?: Record<string, OpenApiMedia>;
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: OpenApiParameter[];
  requestBody?: { description?: string; required: boolean; content: Record<string, OpenApiMedia> };
  responses: Record<string, OpenApiResponse | OpenApiReference>;
  security: Record<string, string[]>[];
}

/** The part of an OpenAPI 3.0 document that this service makes. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; url: string } };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, OpenApiSchema>;
    responses: Record<string, OpenApiResponse>;
    headers: Record<string, { description: string; schema: OpenApiSchema }>;
    securitySchemes: Record<string, OpenApiSchema>;
  };
}
