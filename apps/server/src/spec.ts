import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { service } from '@petstore/types';
import { openApiDocument } from '@petstore/types/document';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';

/** The path that every deployment's address ends with and every path of the interface starts with, such as `/v1`. */
export const basePath = new URL(Object.values(service.deployments)[0] ?? '/', 'http://localhost').pathname.replace(
  /\/$/,
  '',
);

/** The spec as text: as it is written, or where it stands in several files, all of it in one. */
export async function specText(): Promise<string> {
  const text = readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
  if (!/\$ref["']?: *["']?[^#"'\s]/.test(text)) return text;
  const { stringify } = await import('yaml');
  return stringify(openApiDocument);
}

/** The spec with its keys as they are written, for people to read. The parser is loaded only for it. */
export async function readableSpec(): Promise<OpenAPIV3.DocumentV3_1> {
  const { parse } = await import('yaml');
  return parse(await specText());
}

/** A spec whose only server is this one: every path starts with `basePath`, whatever the deployment's address. */
export function servedSpec(spec = structuredClone(openApiDocument)): OpenAPIV3.DocumentV3_1 {
  return { ...(spec as OpenAPIV3.DocumentV3_1), servers: [{ url: basePath }] };
}
