// The spec as a file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** An object of the spec. */
export type SpecNode = Readonly<Record<string, unknown>>;

export function readSpec(): string {
  return readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
}

export function parseSpec(): SpecNode {
  return parse(readSpec(), { maxAliasCount: 1000, merge: true });
}
